import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../fixtures/notes/client.ts";
import { rawRequest, type Served, sendSlowly, serve } from "./serve.ts";

let served: Served;
beforeAll(async () => {
  served = await serve({ COMPUTER_MODE: "development" });
});
afterAll(() => served[Symbol.asyncDispose]());

const base = "/agents/notes/bad";
const post = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  rawRequest(served.port, path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
const error = (answer: { text: string }) => JSON.parse(answer.text).error;

// Whatever was sent, the worker goes on.
afterEach(async () => {
  const answer = await post(`${base}/tools/whoAmI`, "{}");
  expect([answer.status, answer.text]).toEqual([200, '"bad"']);
});

describe("places that are not there", () => {
  test.each([
    ["/agents/nobody/a/tools/x", "POST", 404, "ERR_UNKNOWN_AGENT"],
    ["/agents/__proto__/a/tools/x", "POST", 404, "ERR_UNKNOWN_AGENT"],
    ["/agents/constructor/a/rpc", "GET", 404, "ERR_UNKNOWN_AGENT"],
    [`${base}/tools/burn`, "POST", 404, "ERR_UNKNOWN_TOOL"],
    [`${base}/tools/constructor`, "POST", 404, "ERR_UNKNOWN_TOOL"],
    [`${base}/tools/%FF`, "POST", 404, "ERR_UNKNOWN_TOOL"],
    [`${base}/tools/whoAmI`, "GET", 405, "ERR_METHOD_NOT_ALLOWED"],
    [`${base}/tools`, "POST", 404, "ERR_NOT_FOUND"],
    [`${base}/tools/`, "POST", 404, "ERR_NOT_FOUND"],
    [`${base}/windows`, "GET", 404, "ERR_NOT_FOUND"],
    [base, "GET", 404, "ERR_NOT_FOUND"],
    ["/agents/notes", "GET", 404, "ERR_NOT_FOUND"],
    ["/favicon.ico", "GET", 404, "ERR_NOT_FOUND"],
    ["/", "DELETE", 405, "ERR_METHOD_NOT_ALLOWED"],
    [`${base}/rpc`, "GET", 400, "ERR_BAD_REQUEST"],
    [`${base}/rpc`, "PUT", 405, "ERR_METHOD_NOT_ALLOWED"],
    [`${base}/exec`, "GET", 405, "ERR_METHOD_NOT_ALLOWED"],
    [`${base}/files/x`, "PATCH", 405, "ERR_METHOD_NOT_ALLOWED"],
    ["/agents/notes/%00/files/", "GET", 400, "ERR_BAD_REQUEST"],
    ["/agents/notes/%FF/files/", "GET", 400, "ERR_BAD_REQUEST"],
    ["/agents/notes/a%2Fb/files/", "GET", 400, "ERR_BAD_REQUEST"],
    ["/agents/notes/%zz/files/", "GET", 400, "ERR_BAD_REQUEST"],
    [`/agents/notes/${"x".repeat(257)}/files/`, "GET", 400, "ERR_BAD_REQUEST"],
  ])("%s", async (path, method, status, code) => {
    const answer = await rawRequest(served.port, path, { method, ...(method === "POST" && { body: "{}" }) });
    expect({ status: answer.status, code: answer.code }).toEqual({ status, code });
    expect(error(answer).message).not.toBe("");
  });
});

describe("arguments in JSON", () => {
  test.each([
    ["add", '{"text":"x"}', "/title", "title: is missing"],
    ["add", "{}", "/title", "title: is missing"],
    ["add", '{"title":1,"text":"x"}', "/title", "title: must be a string, got a number"],
    ["add", '{"title":null,"text":"x"}', "/title", "title: must be a string, got null"],
    [
      "add",
      '{"title":"a","text":"x","tilte":1}',
      "/tilte",
      "tilte: no such argument; there are title, text, due",
    ],
    ["add", '{"title":"a","text":"x","__proto__":1}', "/__proto__", "__proto__: no such argument"],
    ["add", '{"title":"a","text":"x","due":"tomorrow"}', "/due", "due: must be a date (in JSON: ISO 8601"],
    ["add", '{"title":"a","text":"x","due":"2026-02-30T00:00:00Z"}', "/due", "due: must be a date"],
    ["add", '{"title":"a","text":"x","due":0}', "/due", "due: must be a date"],
    ["attach", '{"name":"a","data":"***"}', "/data", "data: must be bytes (in JSON: base64)"],
    ["attach", '{"name":"a","data":[1,2]}', "/data", "data: must be bytes (in JSON: base64), got a list"],
    ["list", '{"limit":"10"}', "/limit", "limit: must be a number, got a string"],
    ["fail", '{"how":"later"}', "/how", 'how: must be "error", "file" or "text", got "later"'],
    [
      "tag",
      '{"tags":[{"name":"a"},{"name":2}]}',
      "/tags/1/name",
      "tags[1].name: must be a string, got a number",
    ],
    [
      "tag",
      '{"tags":[{"name":"a","color":"green"}]}',
      "/tags/0/color",
      'tags[0].color: must be "red" or "blue", got "green"',
    ],
    ["tag", '{"tags":[{"name":"a","colour":"red"}]}', "/tags/0/colour", "tags[0].colour: no such property"],
    ["tag", '{"tags":[{}]}', "/tags/0/name", "tags[0].name: is missing"],
    ["tag", '{"tags":{}}', "/tags", "tags: must be a list, got an object"],
    [
      "area",
      '{"shape":{"kind":"star"}}',
      "/shape/kind",
      'shape.kind: must say which of the possible kinds this is; got "star"',
    ],
    ["area", '{"shape":{"kind":"circle"}}', "/shape/radius", "shape.radius: is missing"],
    ["area", '{"shape":{}}', "/shape/kind", "shape.kind: "],
    ["whoAmI", '{"a":1}', "/a", "a: no such argument"],
    ["whoAmI", "[]", "", "whoAmI: the arguments must be an object by name, got a list"],
    ["whoAmI", "null", "", "whoAmI: the arguments must be an object by name, got null"],
    ["whoAmI", '"text"', "", "whoAmI: the arguments must be an object by name, got a string"],
  ])("%s %s", async (tool, body, path, message) => {
    const answer = await post(`${base}/tools/${tool}`, body);
    expect(answer.status).toBe(400);
    expect(error(answer)).toMatchObject({
      code: "ERR_BAD_ARGUMENT",
      path,
      message: expect.stringContaining(message),
    });
  });

  test.each([
    ["malformed", '{"title":'],
    ["empty", ""],
    ["blank", "  \n"],
    ["not UTF-8", Uint8Array.of(0x22, 0xff, 0x22)],
    ["trailing", "{} {}"],
    ["nested a hundred thousand times, unclosed", "[".repeat(100_000)],
  ])("JSON that is %s", async (_name, body) => {
    const answer = await post(`${base}/tools/add`, body);
    expect([answer.status, answer.code]).toEqual([400, "ERR_BAD_JSON"]);
  });

  test.each(["tools/add", "exec"])("what nests deeper than RPC lets it: %s", async (door) => {
    for (const depth of [201, 1_000_000]) {
      const answer = await post(`${base}/${door}`, `{"title":${"[".repeat(depth)}${"]".repeat(depth)}}`);
      expect([answer.status, error(answer)]).toEqual([
        400,
        { code: "ERR_BAD_JSON", message: "The body nests deeper than 200 levels." },
      ]);
    }
    const strings = await post(`${base}/${door}`, `{"title":"${"[".repeat(500)}\\"${"{".repeat(500)}"}`);
    expect(error(strings).code).toBe("ERR_BAD_ARGUMENT");
  });

  test.each(["tools/add", "exec", "rpc"])("a body of 50 MB is refused while it comes: %s", async (door) => {
    for (const declared of [true, false]) {
      const sent = await sendSlowly(served.port, `${base}/${door}`, 50, declared);
      expect(sent).toMatchObject({ status: 413, code: "ERR_BODY_TOO_LARGE" });
    }
  });

  test("a body of just 4 MiB is taken", async () => {
    const barely = `{"title":"big","text":"${"x".repeat(4 * 1024 * 1024 - 25)}"}`;
    expect((await post(`${base}/tools/add`, barely)).status).toBe(200);
    const beyond = await post(`${base}/tools/add`, `${barely} `);
    expect([beyond.status, beyond.code]).toEqual([413, "ERR_BODY_TOO_LARGE"]);
  });

  test("a page must say that it sends JSON; a command line need not", async () => {
    const origin = { origin: `http://127.0.0.1:${served.port}` };
    const form = { "content-type": "application/x-www-form-urlencoded" };
    expect((await post(`${base}/tools/whoAmI`, "{}", form)).status).toBe(200);
    const page = await post(`${base}/tools/whoAmI`, "{}", { ...origin, ...form });
    expect([page.status, page.code]).toEqual([400, "ERR_BAD_REQUEST"]);
    expect(
      (
        await post(`${base}/tools/whoAmI`, "{}", {
          ...origin,
          "content-type": "application/json;charset=utf-8",
        })
      ).status,
    ).toBe(200);
    expect((await post(`${base}/rpc`, "", { ...origin, ...form })).code).toBe("ERR_BAD_REQUEST");
  });
});

describe.each(["websocket", "batch"] as const)("arguments over %s", (transport) => {
  // biome-ignore lint/suspicious/noExplicitAny: what no types would let through
  const cases: [string, (notes: any) => Promise<unknown>, object][] = [
    ["none", (notes) => notes.add(), { path: "/title", message: "title: is missing" }],
    ["one missing", (notes) => notes.add("a"), { path: "/text", message: "text: is missing" }],
    ["one undefined", (notes) => notes.add(undefined, "x"), { path: "/title", message: "title: is missing" }],
    [
      "mistyped",
      (notes) => notes.add("a", 5),
      { path: "/text", message: "text: must be a string, got a number" },
    ],
    [
      "one too many",
      (notes) => notes.add("a", "b", new Date(), 1),
      { path: "/3", message: "add takes 3 arguments (title, text, due), got 4" },
    ],
    [
      "an invalid date",
      (notes) => notes.add("a", "b", new Date(Number.NaN)),
      { path: "/due", message: expect.stringContaining("got an invalid date") },
    ],
    [
      "text for bytes",
      (notes) => notes.attach("a", "AAAA"),
      { path: "/data", message: expect.stringContaining("must be bytes") },
    ],
    ["a function", (notes) => notes.add("a", () => "x"), { path: "/text", message: "text: is missing" }],
    [
      "a function within",
      (notes) => notes.tag([{ name: () => 1 }]),
      { path: "/tags/0/name", message: "tags[0].name: is missing" },
    ],
    ["infinity", (notes) => notes.list(Number.POSITIVE_INFINITY), { path: "/limit" }],
    [
      "a bigint",
      (notes) => notes.list(10n),
      { path: "/limit", message: "limit: must be data, got a bigint" },
    ],
    ["what cannot be sent", (notes) => notes.list(new Map()), {}],
    [
      "a path that is no string",
      (notes) => notes.workspace.fs.readFile({ a: 1 }),
      { path: "/path", message: "path: must be a string, got an object" },
    ],
    ["content that is none", (notes) => notes.workspace.fs.writeFile("/x", 5), { path: "/data" }],
    [
      "an unknown option",
      (notes) => notes.workspace.fs.rm("/x", { recusive: true }),
      { path: "/options/recusive" },
    ],
    [
      "an unknown flag",
      (notes) => notes.workspace.fs.writeFile("/x", "", { flag: "r+" }),
      { path: "/options/flag" },
    ],
    ["a mode that is text", (notes) => notes.workspace.fs.chmod("/", "777"), { path: "/mode" }],
    [
      "an option of run that is not one",
      (notes) => notes.workspace.runtime.exec("say x", { shell: true }).result(),
      {},
    ],
    [
      "a time limit that is text",
      (notes) => notes.workspace.runtime.exec("say x", { timeoutMs: "1" }).result(),
      {},
    ],
  ];
  test.each(cases)("%s", async (_name, work, expected) => {
    using computer = connect({ url: served.url, transport });
    using notes = computer.notes("bad");
    await expect(work(notes)).rejects.toMatchObject({ code: "ERR_BAD_ARGUMENT", ...expected });
    expect(await notes.whoAmI()).toBe("bad");
  });
});

describe("batches", () => {
  test("no more messages than there may be", async () => {
    // All of them good, so that only their number is wrong.
    const calls = (count: number) =>
      Array.from({ length: count }, () => '["push",["pipeline",0,["call"],["whoAmI",[[]]]]]').join("\n");
    expect((await post(`${base}/rpc`, calls(4096))).status).toBe(200);
    const answer = await post(`${base}/rpc`, calls(4097));
    expect([answer.status, answer.code]).toEqual([413, "ERR_BODY_TOO_LARGE"]);
  });

  test.each([
    ["no JSON", "what"],
    ["no message", "{}"],
    ["an unknown message", '["dance"]'],
    ["a reference to nothing", '["push",["pipeline",99,["whoAmI"],[]]]\n["pull",1]'],
    [
      "a promise that cannot be kept",
      '["push",["pipeline",0,["call"],["whoAmI",["promise",-1]]]]\n["pull",1]',
    ],
    ["an end at once", '["abort",["error","Error","x"]]'],
    ["nested too deeply", `["push",${"[[".repeat(400)}1${"]]".repeat(400)}]`],
  ])("%s", async (_name, body) => {
    const answer = await post(`${base}/rpc`, body);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.code).toMatch(/^ERR_/);
  });
});

describe("runs", () => {
  test.each([
    ["{}", "ERR_BAD_ARGUMENT", "/source"],
    ['{"source":1}', "ERR_BAD_ARGUMENT", "/source"],
    ["[]", "ERR_BAD_ARGUMENT", ""],
    ['{"source":"say x","signal":{}}', "ERR_BAD_ARGUMENT", "/signal"],
    ['{"source":"say x","cwd":7}', "ERR_BAD_ARGUMENT", "/cwd"],
    ['{"source":"say x","env":{"A":1}}', "ERR_BAD_ARGUMENT", "/env/A"],
    ['{"source":"say x","timeoutMs":-1}', "ERR_BAD_ARGUMENT", "/timeoutMs"],
    ['{"source":"say x","backend":"sehll"}', "ERR_UNKNOWN_BACKEND", "/backend"],
  ])("%s", async (body, code, path) => {
    const answer = await post(`${base}/exec`, body);
    expect(error(answer)).toMatchObject({ code, path });
  });
});

test("in a deployment no stack leaves, nor the message of what was not meant for anyone", async () => {
  await using deployed = await serve({ COMPUTER_TOKEN: "t" });
  const headers = { host: "x.workers.dev", authorization: "Bearer t" };
  const answer = await rawRequest(deployed.port, `${base}/tools/fail`, {
    method: "POST",
    headers,
    body: '{"how":"error"}',
  });
  expect(error(answer)).toEqual({ code: "ERR_TOOL_FAILED", message: "the notes are wet" });
  // But it is logged where the operator looks.
  expect(deployed.log.join("\n")).toMatch(/RangeError: the notes are wet\n\s+at Notes\.fail/);
});
