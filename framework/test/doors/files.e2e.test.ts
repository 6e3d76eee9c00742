import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "../fixtures/notes/client.ts";
import { rawRequest, type Served, serve } from "./serve.ts";

let served: Served;
beforeAll(async () => {
  served = await serve({ COMPUTER_MODE: "development" });
});
afterAll(() => served[Symbol.asyncDispose]());

const base = "/agents/notes/files-test/files";
const ask = (path: string, init: RequestInit = {}) => fetch(`${served.url}${base}${path}`, init);
const put = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  rawRequest(served.port, `${base}${path}`, { method: "PUT", body, headers });
const code = async (response: Response) => [
  response.status,
  ((await response.json()) as { error: { code: string } }).error.code,
];

test("a file is put with its folders, read, replaced and deleted", async () => {
  expect((await put("/a/b/hello.txt", "hello")).status).toBe(201);
  const read = await ask("/a/b/hello.txt");
  expect([read.status, await read.text()]).toEqual([200, "hello"]);
  expect(read.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  // As a client that takes no compressed answer sees it.
  expect((await rawRequest(served.port, `${base}/a/b/hello.txt`)).headers["content-length"]).toBe("5");
  expect((await put("/a/b/hello.txt", "")).status).toBe(204);
  expect(await (await ask("/a/b/hello.txt")).text()).toBe("");
  expect((await ask("/a/b/hello.txt", { method: "DELETE" })).status).toBe(204);
  expect(await code(await ask("/a/b/hello.txt"))).toEqual([404, "ENOENT"]);
});

test("bytes come back as they were, in whatever size", async () => {
  for (const size of [0, 1, 262_144, 262_145, 5_000_000]) {
    const bytes = Uint8Array.from({ length: size }, (_, index) => (index * 31 + (index >> 8)) & 255);
    await put(`/bytes/${size}.bin`, bytes);
    const read = await ask(`/bytes/${size}.bin`);
    expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true);
    expect(read.headers.get("content-type")).toBe("application/octet-stream");
  }
});

test("a part of a file, and whether it changed", async () => {
  await put("/part.txt", "0123456789");
  const part = async (range: string, headers: Record<string, string> = {}) => {
    const response = await ask("/part.txt", { headers: { range, ...headers } });
    return [response.status, response.headers.get("content-range"), await response.text()];
  };
  expect(await part("bytes=2-4")).toEqual([206, "bytes 2-4/10", "234"]);
  expect(await part("bytes=7-")).toEqual([206, "bytes 7-9/10", "789"]);
  expect(await part("bytes=-3")).toEqual([206, "bytes 7-9/10", "789"]);
  expect(await part("bytes=-99")).toEqual([206, "bytes 0-9/10", "0123456789"]);
  expect(await part("bytes=8-99")).toEqual([206, "bytes 8-9/10", "89"]);
  expect(await part("bytes=10-")).toEqual([416, "bytes */10", ""]);
  expect(await part("bytes=-0")).toEqual([416, "bytes */10", ""]);
  expect(await part("bytes=5-2")).toEqual([200, null, "0123456789"]);
  expect(await part("lines=1-2")).toEqual([200, null, "0123456789"]);
  expect(await part("bytes=0-1", { "if-range": '"other"' })).toEqual([200, null, "0123456789"]);
  const etag = (await ask("/part.txt")).headers.get("etag") ?? "";
  expect((await ask("/part.txt", { headers: { "if-none-match": etag } })).status).toBe(304);
  await put("/part.txt", "0123456780");
  expect((await ask("/part.txt", { headers: { "if-none-match": etag } })).status).toBe(200);
  const head = await ask("/part.txt", { method: "HEAD" });
  expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "10", ""]);
});

test("a folder is listed", async () => {
  await put("/list/b.txt", "bb");
  await put("/list/sub/c", "");
  for (const path of ["/list", "/list/"]) {
    const listing = (await (await ask(path)).json()) as { path: string; entries: { mtime: string }[] };
    expect(listing).toMatchObject({
      path: "/list",
      truncated: false,
      entries: [
        { name: "b.txt", type: "file", size: 2 },
        { name: "sub", type: "directory" },
      ],
    });
    expect(new Date(listing.entries[0]?.mtime ?? "").getTime()).toBeGreaterThan(0);
  }
  expect(((await (await ask("")).json()) as { path: string }).path).toBe("/");
});

test("names are bytes", async () => {
  for (const name of ["%FF", "caf%C3%A9", "cafe%CC%81", "a%20b%23c%3Fd", "%ED%A0%80", "%25"]) {
    expect((await put(`/names/${name}`, name)).status).toBe(201);
  }
  expect(await (await ask("/names/%FF")).text()).toBe("%FF");
  const { entries } = (await (await ask("/names")).json()) as { entries: { name: string }[] };
  expect(entries.map(({ name }) => name).sort()).toEqual(
    ["%", "a b#c?d", "cafe\u0301", "caf\u00e9", "\ud800", "\udcff"].sort(),
  );
});

test("what an agent wrote cannot act as a page of this origin", async () => {
  for (const name of ["page.html", "drawing.svg", "data.xml", "code.js"]) {
    await put(`/active/${name}`, "<script>alert(1)</script>");
    const { headers } = await ask(`/active/${name}`);
    expect(headers.get("content-security-policy")).toMatch(/^sandbox; default-src 'none'/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
});

test("a folder is deleted only when that was said", async () => {
  await put("/tree/a/b", "x");
  expect(await code(await ask("/tree", { method: "DELETE" }))).toEqual([400, "ERR_FS_EISDIR"]);
  expect(await code(await ask("/tree?recursive=0", { method: "DELETE" }))).toEqual([400, "ERR_FS_EISDIR"]);
  expect((await ask("/tree/?recursive=1", { method: "DELETE" })).status).toBe(204);
  expect(await code(await ask("/tree"))).toEqual([404, "ENOENT"]);
});

test.each([
  ["GET", "/missing", 404, "ENOENT"],
  ["DELETE", "/missing", 404, "ENOENT"],
  ["GET", "/a%00b", 400, "ERR_BAD_REQUEST"],
  ["PUT", "/a%00b", 400, "ERR_BAD_REQUEST"],
  ["PUT", "/a%2Fb", 400, "ERR_BAD_REQUEST"],
  ["GET", "/a%2", 400, "ERR_BAD_REQUEST"],
  ["PUT", `/${"n".repeat(300)}`, 400, "ENAMETOOLONG"],
  ["PUT", "/", 400, "ERR_BAD_REQUEST"],
  ["PUT", "/folder/", 400, "ERR_BAD_REQUEST"],
  ["PUT", "/kept", 400, "EISDIR"],
  ["PUT", "/kept/file/below", 409, "EEXIST"],
  ["GET", "/kept/file/", 400, "ENOTDIR"],
  ["DELETE", "/", 400, "ERR_FS_EISDIR"],
])("%s %s", async (method, path, status, expected) => {
  await put("/kept/file", "x");
  const answer = await rawRequest(served.port, `${base}${path}`, {
    method,
    ...(method === "PUT" && { body: "x" }),
  });
  expect({ status: answer.status, code: answer.code }).toEqual({ status, code: expected });
});

test("dot segments never lead out of an agent's files", async () => {
  await put("/inside", "mine");
  // The proxy of local development resolves them before the worker sees them, as a browser does before it asks.
  for (const path of [
    "/../../other/files/inside",
    "/../files/../../x/files/inside",
    "/..",
    "/%2E%2e/rpc",
    "/%2e%2e/%2e%2e",
  ]) {
    const answer = await rawRequest(served.port, `${base}${path}`);
    expect([path, answer.text.includes("mine"), answer.code?.startsWith("E")]).toEqual([path, false, true]);
  }
});

test("nothing shows of a file until all of it has come", async () => {
  await put("/whole.txt", "old");
  let stop: (() => void) | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new Uint8Array(300_000));
      stop = () => controller.error(new Error("cut"));
    },
  });
  const putting = ask("/whole.txt", { method: "PUT", body, duplex: "half" } as RequestInit).catch(
    () => "cut",
  );
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await (await ask("/whole.txt")).text()).toBe("old");
  stop?.();
  expect(await putting).toBe("cut");
  expect(await (await ask("/whole.txt")).text()).toBe("old");
});

test("only a new file, when that was asked", async () => {
  expect((await put("/once", "1", { "if-none-match": "*" })).status).toBe(201);
  expect((await put("/once", "2", { "if-none-match": "*" })).code).toBe("EEXIST");
  expect(await (await ask("/once")).text()).toBe("1");
});

test("a file is changed only while it is the one that was seen, when that was asked", async () => {
  await put("/seen", "1");
  const etag = (await ask("/seen")).headers.get("etag") ?? "";
  const changed = [412, "ERR_CHANGED"];
  expect((await put("/seen", "2", { "if-match": etag })).status).toBe(204);
  const attempts: [string, string, Record<string, string>][] = [
    ["PUT", "/seen", { "if-match": etag }],
    ["DELETE", "/seen", { "if-match": etag }],
    ["PUT", "/never", { "if-match": "*" }],
    ["PUT", "/seen", { "if-none-match": `"x", ${(await ask("/seen")).headers.get("etag")}` }],
  ];
  for (const [method, path, headers] of attempts) {
    const answer = await rawRequest(served.port, base + path, {
      method,
      headers,
      ...(method === "PUT" && { body: "3" }),
    });
    expect([answer.status, answer.code]).toEqual(changed);
  }
  expect(await (await ask("/seen")).text()).toBe("2");
  expect(await code(await ask("/never"))).toEqual([404, "ENOENT"]);
  const now = (await ask("/seen")).headers.get("etag") ?? "";
  expect((await put("/seen", "4", { "if-match": `"x", ${now}`, "if-none-match": etag })).status).toBe(204);
  expect((await ask("/seen", { method: "DELETE", headers: { "if-match": "*" } })).status).toBe(204);
});

test("a change that comes while the body does is seen, too", async () => {
  await put("/raced", "old");
  const etag = (await ask("/raced")).headers.get("etag") ?? "";
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const putting = ask("/raced", {
    method: "PUT",
    body: readable,
    duplex: "half",
    headers: { "if-match": etag },
  } as RequestInit);
  const writer = writable.getWriter();
  await writer.write(new Uint8Array(300_000));
  await new Promise((resolve) => setTimeout(resolve, 200));
  await put("/raced", "another's");
  await writer.close();
  expect(await code(await putting)).toEqual([412, "ERR_CHANGED"]);
  expect(await (await ask("/raced")).text()).toBe("another's");
});

test("large files go through the client as streams, within bounds of each message", async () => {
  using computer = connect({ url: served.url });
  using notes = computer.notes("large");
  const { fs } = notes.workspace;
  const bytes = Uint8Array.from({ length: 12_000_000 }, (_, index) => (index * 7 + (index >> 9)) & 255);
  await fs.writeFile("/large.bin", bytes, { mode: 0o640 });
  expect((await fs.stat("/large.bin")).mode & 0o777).toBe(0o640);
  expect(Buffer.from(await fs.readFile("/large.bin")).equals(bytes)).toBe(true);
  await fs.appendFile("/large.bin", bytes.subarray(0, 2_000_000));
  expect((await fs.stat("/large.bin")).size).toBe(14_000_000);
  await expect(fs.writeFile("/large.bin", bytes, { flag: "wx" })).rejects.toMatchObject({ code: "EEXIST" });

  const part = fs.createReadStream("/large.bin", { start: 10, end: 19 });
  expect([...new Uint8Array(await new Response(part).arrayBuffer())]).toEqual([...bytes.subarray(10, 20)]);
  const reader = fs.createReadStream("/none").getReader();
  await expect(reader.read()).rejects.toMatchObject({ code: "ENOENT", path: "/none" });

  const writer = fs.createWriteStream("/streamed").getWriter();
  await writer.write(new TextEncoder().encode("one "));
  expect(await fs.exists("/streamed")).toBe(false);
  await writer.write(new TextEncoder().encode("two"));
  await writer.close();
  expect(await fs.readFile("/streamed", "utf8")).toBe("one two");
  const dropped = fs.createWriteStream("/dropped").getWriter();
  await dropped.write(new Uint8Array(10));
  await dropped.abort();
  expect(await fs.exists("/dropped")).toBe(false);
});

test("a batch reads a large file too, and says what it cannot write", async () => {
  using computer = connect({ url: served.url, transport: "batch" });
  const { fs } = computer.notes("large-batch").workspace;
  const text = "line of text\n".repeat(200_000);
  await fs.writeFile("/large.txt", text);
  expect(await fs.readFile("/large.txt", "utf8")).toBe(text);
  expect(await new Response(fs.createReadStream("/large.txt", { start: 0, end: 3 })).text()).toBe("line");
  await expect(fs.writeFile("/huge", new Uint8Array(5_000_000))).rejects.toMatchObject({
    code: "ERR_BODY_TOO_LARGE",
  });
  await expect(fs.createWriteStream("/x").getWriter().write(new Uint8Array(1))).rejects.toMatchObject({
    code: "ERR_UNSUPPORTED",
  });
  await expect(fs.createReadStream("/").getReader().read()).rejects.toMatchObject({ code: "EISDIR" });
  await expect(fs.createReadStream("/none").getReader().read()).rejects.toMatchObject({ code: "ENOENT" });
});
