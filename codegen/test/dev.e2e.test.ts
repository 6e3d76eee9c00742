import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callTool, DevServer, eventually, freePort, TestProject } from "./support/dev-server.ts";
import { alive, groupOf, listeningPorts } from "./support/processes.ts";

const TEXT = "Let me not to the marriage of true minds\nAdmit impediments. Love is not love\n";

/** A request as written, with any Host and headers; `fetch` sets some of them itself. */
function request(
  url: string,
  headers: Record<string, string>,
  method = "GET",
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port, pathname } = new URL(url);
    const sent = http.request(
      { host: hostname, port, path: pathname, method, headers, agent: false },
      (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (part) => {
          body += part;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
      },
    );
    sent.on("error", reject).end();
  });
}

describe("computer dev", () => {
  let project: TestProject;
  let server: DevServer;
  let url: string;

  beforeAll(async () => {
    project = new TestProject();
    server = new DevServer(project, await freePort());
    url = await server.ready();
  });

  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    project?.[Symbol.dispose]();
  });

  test("prints where each agent is, and nothing of wrangler's own", () => {
    expect(server.output).toContain(`${url}/agents/reader/:id`);
    expect(server.output).toContain("shelve · topWords · find");
    expect(server.output).not.toMatch(/wrangler|binding|Reloading|GET \//i);
  });

  test("serves plain HTTP; each id has files of its own", async () => {
    const found = await callTool(url, "shelve", { title: "Sonnet 116", text: TEXT });
    expect(found).toEqual({ status: 200, body: { path: "/shelf/sonnet-116.txt", lines: 2, words: 15 } });
    expect(await callTool(url, "find", { phrase: "love" })).toMatchObject({
      status: 200,
      body: [{ line: 2 }],
    });
    expect(await callTool(url, "find", { phrase: "love" }, "bob")).toEqual({ status: 200, body: [] });
  });

  test.each(["websocket", "batch"] as const)("serves the generated client over %s", async (transport) => {
    const { connect } = await import(pathToFileURL(path.join(project.dir, "generated/client.ts")).href);
    using computer = connect({ url, transport });
    using reader = computer.reader(`client-${transport}`);
    expect(await reader.shelve("Sonnet 116", TEXT)).toEqual({
      path: "/shelf/sonnet-116.txt",
      lines: 2,
      words: 15,
    });
    expect(await reader.topWords("Sonnet 116", 1)).toEqual([{ word: "love", count: 2 }]);
    expect(await reader.find("IMPEDIMENTS")).toMatchObject([{ line: 2 }]);
    expect(await reader.workspace.fs.readFile("/shelf/sonnet-116.txt", "utf8")).toBe(TEXT);
    await expect(reader.shelve("Sonnet 116", 116)).rejects.toMatchObject({
      code: "ERR_BAD_ARGUMENT",
      path: "/text",
    });
  });

  test("answers what the quickstart's README says to paste", (context) => {
    if (spawnSync("curl", ["--version"]).status !== 0) context.skip("curl is not installed");
    const readme = readFileSync(path.join(TestProject.origin, "README.md"), "utf8");
    const lines = readme.split("\n").filter((line) => line.startsWith("curl "));
    const answers = lines.map((line) =>
      execFileSync("sh", ["-c", line.replaceAll("http://127.0.0.1:8787", url)], { encoding: "utf8" }),
    );
    expect(answers).toHaveLength(4);
    expect(JSON.parse(answers[0] ?? "")).toEqual({ path: "/shelf/note.txt", lines: 3, words: 12 });
    expect(JSON.parse(answers[1] ?? "")[0]).toEqual({ word: "over", count: 2 });
    expect(answers[2]).toMatch(/^the quick brown fox\n/);
    expect(answers[3]).toMatch(/event: stdout[\s\S]*over the hill[\s\S]*event: end/);
  });

  test("passes a run's events on before the run has ended", async () => {
    const response = await fetch(`${url}/agents/reader/alice/exec`, {
      method: "POST",
      body: JSON.stringify({ source: "echo first; sleep 1; echo second" }),
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("first")) text += (await reader?.read())?.value ?? "";
    expect(text).not.toContain("second");
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value;
    expect(text).toContain("second");
    expect(text).toContain("event: end");
  });

  test("prints the stack of a tool that throws, with the user's own file and line", async () => {
    const { status, body } = await callTool(url, "topWords", { title: "Missing" });
    expect(status).toBe(500);
    expect(body.error).toMatchObject({ code: "ERR_TOOL_FAILED", message: '"Missing" is not on the shelf.' });
    const [, line] = await server.prints(/at Reader\.topWords \(src[\\/]reader\.ts:(\d+):\d+\)/);
    const source = (await import("node:fs"))
      .readFileSync(path.join(project.dir, "src/reader.ts"), "utf8")
      .split("\n");
    expect(source[Number(line) - 1]).toContain("throw new Error(");
  });

  test("refuses a foreign Host and a foreign Origin, also with wrangler's forged headers", async () => {
    const { host } = new URL(url);
    const file = `${url}/agents/reader/alice/files/shelf/sonnet-116.txt`;
    expect((await request(file, { host })).body).toBe(TEXT);
    for (const door of [file, `${url}/`]) {
      expect(await request(door, { host: "evil.example" })).toMatchObject({ status: 421 });
      expect(await request(door, { host, origin: "https://evil.example" })).toMatchObject({ status: 403 });
      const forged = { host: "evil.example", "MF-Original-URL": door };
      expect(await request(door, forged)).toMatchObject({ status: 421 });
    }
  });

  test("keeps wrangler's own endpoints out of reach", async () => {
    const { host } = new URL(url);
    const paths = [
      ...[
        "/cdn-cgi/explorer",
        "/cdn-cgi/local/explorer",
        "/cdn-cgi/local/explorer/api/",
        "/cdn-cgi/local/scheduled",
      ],
      ...[
        "/cdn-cgi/mf/scheduled",
        "/cdn-cgi/handler/email",
        "/cdn-cgi/local/platform-proxy",
        "/cdn-cgi/live-reload",
      ],
      ...["/__cf_local/stream", "/x/../cdn-cgi/explorer", "/.computer/build"],
    ];
    for (const each of paths)
      expect({ each, ...(await request(url + each, { host })) }).toMatchObject({ status: 404 });
    const raw = await request(url, { host, upgrade: "websocket", connection: "upgrade" });
    expect(raw.status).not.toBe(101);
  });

  test.runIf(process.platform === "linux")("refuses calls to wrangler's own ports", async () => {
    const ports = groupOf(project.dir).flatMap(({ pid }) => listeningPorts(pid));
    const answers = await Promise.all(
      ports.map(async (port) => {
        const at = `http://127.0.0.1:${port}/agents/reader/alice/files/shelf/sonnet-116.txt`;
        return request(at, { host: "evil.example", "MF-Original-URL": at }).catch(() => ({
          status: 0,
          body: "",
        }));
      }),
    );
    expect(answers.some(({ status }) => status === 403)).toBe(true);
    expect(answers.filter(({ body }) => body.includes("impediments"))).toEqual([]);
    expect(answers.filter(({ status }) => status === 200)).toEqual([]);
  });

  test("serves a change; keeps the last good version while the source is broken; serves the mended one", async () => {
    const shelve = () => callTool(url, "shelve", { title: "Sonnet 116", text: TEXT });
    project.edit(
      "src/reader.ts",
      "return { path, lines, words };",
      "return { path, lines, words: words * 10 };",
    );
    await server.prints(/Reloaded in \d+ ms/);
    expect((await shelve()).body).toMatchObject({ words: 150 });

    // A type that the old validators do not know, beside a body that would answer otherwise.
    project.edit("src/reader.ts", "words: words * 10 };", "words: words * 100 } as never as Shelvde;");
    await server.prints(/src\/reader\.ts:\d+:\d+ - error CMP\d+/);
    await server.prints(/Still serving the last good build/);
    expect((await shelve()).body).toMatchObject({ words: 150 });

    project.edit("src/reader.ts", " as never as Shelvde", "");
    await server.prints(/Reloaded in \d+ ms/);
    expect((await shelve()).body).toMatchObject({ words: 1500 });
  });

  test("serves a new tool, with its client and validators", async () => {
    project.edit(
      "src/reader.ts",
      "  private async shell(",
      "  /** How many. */\n  @tool()\n  async double(count: number): Promise<number> {\n    return count * 2;\n  }\n\n  private async shell(",
    );
    await server.prints(/Reloaded in \d+ ms/);
    expect(await callTool(url, "double", { count: 21 })).toEqual({ status: 200, body: 42 });
    expect(await callTool(url, "double", { count: "21" })).toMatchObject({ status: 400 });
  });

  test("leads imports of text to wrangler", async () => {
    project.write("src/motto.txt", "festina lente");
    project.write(
      "src/text.d.ts",
      'declare module "*.txt" {\n  const text: string;\n  export default text;\n}\n',
    );
    const source = readFileSync(path.join(project.dir, "src/reader.ts"), "utf8");
    const tool = "  @tool()\n  motto(): string {\n    return motto;\n  }\n\n  private async shell(";
    project.write(
      "src/reader.ts",
      `import motto from "./motto.txt";\n${source.replace("  private async shell(", tool)}`,
    );
    await server.prints(/Reloaded in \d+ ms/);
    expect(await callTool(url, "motto", {})).toEqual({ status: 200, body: "festina lente" });
  });

  test("asks for the token as soon as there is one, without printing it", async () => {
    project.write(".dev.vars", "COMPUTER_TOKEN=s3cret-of-the-test\n");
    await server.prints(/Reloaded in \d+ ms/);
    expect(await callTool(url, "find", { phrase: "x" })).toMatchObject({ status: 401 });
    const headers = { authorization: "Bearer s3cret-of-the-test" };
    expect(await callTool(url, "find", { phrase: "x" }, "token", headers)).toEqual({ status: 200, body: [] });
    expect(server.output).not.toContain("s3cret");
    const kept = readdirSync(path.join(project.dir, ".computer/dev"), {
      recursive: true,
      withFileTypes: true,
    });
    for (const entry of kept.filter((each) => each.isFile())) {
      const file = path.join(entry.parentPath, entry.name);
      expect({ file, holdsIt: readFileSync(file, "latin1").includes("s3cret") }).toEqual({
        file,
        holdsIt: false,
      });
    }
    const commands = server.processes.map(({ command }) => command).join("\n");
    expect(commands).toContain("wrangler");
    expect(commands).not.toContain("s3cret");
  });

  test("refuses a second server over the same state", async () => {
    await using second = new DevServer(project, await freePort());
    expect(await second.exited).toBe(1);
    expect(second.output).toMatch(/in use by another `computer dev`/);
  });
});

describe("the processes of computer dev", () => {
  test.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)("%s leaves none behind", async (signal) => {
    using project = new TestProject();
    await using server = new DevServer(project, await freePort());
    await server.ready();
    const known = server.processes;
    expect(known.filter(({ command }) => command.includes("workerd serve"))).toHaveLength(2);
    server.child.kill(signal);
    const status = await server.exited;
    if (signal !== "SIGKILL") expect(status).toBe(0);
    expect(
      await eventually(
        () => alive(known),
        (left) => left.length === 0,
      ),
    ).toEqual([]);
    expect(server.processes).toEqual([]);
  });

  test("SIGINT in the middle of the start leaves none behind", async () => {
    using project = new TestProject();
    await using server = new DevServer(project, await freePort());
    await eventually(
      () => groupOf(project.dir),
      (group) => group.length > 0,
    );
    const known = server.processes;
    server.child.kill("SIGINT");
    expect(await server.exited).toBe(0);
    expect(
      await eventually(
        () => alive(known),
        (left) => left.length === 0,
      ),
    ).toEqual([]);
  });

  test("the end of its host process ends the rest", async () => {
    using project = new TestProject();
    await using server = new DevServer(project, await freePort());
    await server.ready();
    const known = server.processes;
    const host = known.find(({ command }) => /host[\\/]main\.js/.test(command));
    process.kill(host?.pid ?? 0, "SIGKILL");
    expect(await server.exited).toBe(1);
    expect(
      await eventually(
        () => alive(known),
        (left) => left.length === 0,
      ),
    ).toEqual([]);
  });

  test("a taken port means the next one, and is said", async () => {
    using project = new TestProject();
    const port = await freePort();
    const other = http.createServer().listen(port, "127.0.0.1");
    try {
      await using server = new DevServer(project, port);
      const [, next] = await server.prints(new RegExp(`Port ${port} is taken; using (\\d+)`));
      expect(Number(next)).toBeGreaterThan(port);
      expect(await server.ready()).toBe(`http://127.0.0.1:${next}`);
      expect((await fetch(`http://127.0.0.1:${next}/`)).status).toBe(200);
    } finally {
      other.close();
    }
  });

  test("two that start at once for one port both serve", async () => {
    using one = new TestProject();
    using two = new TestProject();
    const port = await freePort();
    await using first = new DevServer(one, port);
    await using second = new DevServer(two, port);
    const urls = await Promise.all([first.ready(), second.ready()]);
    expect(new Set(urls).size).toBe(2);
    await callTool(urls[0] ?? "", "shelve", { title: "Sonnet 116", text: TEXT });
    expect((await callTool(urls[0] ?? "", "find", { phrase: "love" })).body).toHaveLength(1);
    expect((await callTool(urls[1] ?? "", "find", { phrase: "love" })).body).toHaveLength(0);
  });

  test("a folder that is not there is said, and not made", async () => {
    using project = new TestProject();
    const { dir } = project;
    project[Symbol.dispose]();
    await using server = new DevServer(project, await freePort());
    expect(await server.exited).toBe(1);
    expect(server.output).toContain(`There is no folder ${dir}`);
    expect(existsSync(dir)).toBe(false);
  });

  test("a folder that is no project is said to be none, and gets no folder of ours", async () => {
    using project = new TestProject();
    for (const name of readdirSync(project.dir)) rmSync(path.join(project.dir, name), { recursive: true });
    await using server = new DevServer(project, await freePort());
    expect(await server.exited).toBe(1);
    expect(server.output).toMatch(/^error CMP1001: There is no tsconfig\.json in .*--project/);
    expect(readdirSync(project.dir)).toEqual([]);
  });

  test("one project is served twice with other state, and each goes on", async () => {
    using project = new TestProject();
    await using first = new DevServer(project, await freePort());
    const one = await first.ready();
    await callTool(one, "shelve", { title: "Sonnet 116", text: TEXT });
    {
      await using refused = new DevServer(project, await freePort());
      expect(await refused.exited).toBe(1);
    }
    const elsewhere = path.join(project.dir, ".computer/elsewhere");
    await using second = new DevServer(project, await freePort(), ["--persist", elsewhere]);
    const two = await second.ready();
    const lines = async (url: string) => (await callTool(url, "find", { phrase: "love" })).body.length;
    expect([await lines(one), await lines(two)]).toEqual([1, 0]);
    project.edit("src/reader.ts", "limit = 10", "limit = 1");
    await Promise.all([first.prints(/Reloaded/), second.prints(/Reloaded/)]);
    expect([await lines(one), await lines(two)]).toEqual([1, 0]);
    expect((await callTool(one, "topWords", { title: "Sonnet 116" })).body).toHaveLength(1);
  });

  test("waits for a mistake to be mended when there is nothing to serve yet", async () => {
    using project = new TestProject();
    project.edit("src/reader.ts", "limit = 10", "limit = ten");
    const port = await freePort();
    await using server = new DevServer(project, port);
    await server.prints(/error CMP\d+/);
    await server.prints(/Nothing is served yet/);
    project.edit("src/reader.ts", "limit = ten", "limit = 10");
    const url = await server.ready();
    expect((await fetch(url)).status).toBe(200);
  });
});
