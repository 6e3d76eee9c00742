import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { requires } from "../../.ci/lib/requires.ts";
import {
  browserIsThere,
  bundleClient,
  openBrowser,
  type PageServer,
  servePages,
  type Witness,
  watchAnswers,
} from "./support/browser.ts";
import { DevServer, freePort, TestProject } from "./support/dev-server.ts";

const TOKEN = "s3cret-t0ken";
const ALLOWED = "app.example";
const FOREIGN = "evil.example";
const TEXT = "Let me not to the marriage of true minds\nAdmit impediments. Love is not love\n";

/** A server that wants a token, and one that nothing but its checks of Host and Origin guards. */
let guarded: string;
let bare: string;
let pages: PageServer;
let browser: BrowserContext;
let page: Page;
const opened = new AsyncDisposableStack();

beforeAll(async () => {
  if (browserIsThere !== true) return;
  // The pages need a port before the servers can allow their origin, and a client that is generated before.
  let script = "";
  pages = opened.use(await servePages(() => script));
  const serve = async (variables: string) => {
    const project = opened.use(new TestProject());
    project.write(".dev.vars", `COMPUTER_ORIGINS=http://${ALLOWED}:${pages.port}\n${variables}`);
    const server = opened.use(new DevServer(project, await freePort()));
    return { url: await server.ready(), dir: project.dir };
  };
  const first = await serve("");
  script = await bundleClient(first.dir);
  bare = first.url;
  guarded = (await serve(`COMPUTER_TOKEN=${TOKEN}\n`)).url;
  browser = opened.use(await openBrowser([ALLOWED, FOREIGN]));
});
afterAll(() => opened.disposeAsync());

beforeEach(async (context) => {
  requires(context, "a browser", browserIsThere);
  page = await browser.newPage();
});
afterEach(() => page?.close());

// biome-ignore-start lint/suspicious/noExplicitAny: globals of a page, whose types would be those of every test
/** The generated client. */
declare const client: any;
declare const document: any;
declare const navigator: any;
// biome-ignore-end lint/suspicious/noExplicitAny: as above

describe("a page of an allowed origin", () => {
  beforeEach(() => page.goto(`http://${ALLOWED}:${pages.port}/`));

  test.each(["websocket", "batch"])("uses the generated client over %s, with a token", async (transport) => {
    const found = await page.evaluate(
      async ({ url, token, transport, text }) => {
        const computer = client.connect({ url, token, transport });
        const reader = computer.reader(`browser-${transport}`);
        const shelved = await reader.shelve("Sonnet 116", text);
        const { fs, runtime } = reader.workspace;
        const bytes = new Uint8Array([0, 255, 10, 13]);
        await fs.writeFile("/bytes", bytes);
        const read = await fs.readFile("/bytes");
        const refused = await reader.shelve("Sonnet 116", 116).catch((error: unknown) => error);
        const missing = await fs.readFile("/none").catch((error: unknown) => error);
        const { stdout, exitCode } = await runtime.exec("wc -l < /shelf/sonnet-116.txt; exit 3").result();
        computer[Symbol.dispose ?? Symbol.for("Symbol.dispose")]();
        return {
          shelved,
          bytes: [...read],
          refused: { code: refused.code, path: refused.path },
          missing: missing.code,
          run: { stdout: stdout.trim(), exitCode },
        };
      },
      { url: guarded, token: TOKEN, transport, text: TEXT },
    );
    expect(found).toEqual({
      shelved: { path: "/shelf/sonnet-116.txt", lines: 2, words: 15 },
      bytes: [0, 255, 10, 13],
      refused: { code: "ERR_BAD_ARGUMENT", path: "/text" },
      missing: "ENOENT",
      run: { stdout: "2", exitCode: 3 },
    });
  });

  test("hears a run live, and streams a file both ways, over a WebSocket", async () => {
    const { heard, size, sum } = await page.evaluate(
      async ({ url, token }) => {
        const { workspace } = client.connect({ url, token }).reader("live");
        const run = workspace.runtime.exec("echo first; sleep 1; echo second");
        let over = false;
        run.result().then(() => {
          over = true;
        });
        const heard: unknown[] = [];
        for await (const event of run) {
          heard.push(event.type === "end" ? "end" : [new TextDecoder().decode(event.data), over]);
        }
        const megabytes = new Uint8Array(3_000_000).fill(7);
        const writer = workspace.fs.createWriteStream("/large").getWriter();
        await writer.write(megabytes);
        await writer.close();
        let sum = 0;
        const reader = workspace.fs.createReadStream("/large").getReader();
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
          for (const byte of part.value) sum += byte;
        }
        return { heard, sum, size: (await workspace.fs.stat("/large")).size };
      },
      { url: guarded, token: TOKEN },
    );
    expect(heard).toEqual([["first\n", false], ["second\n", false], "end"]);
    expect({ size, sum }).toEqual({ size: 3_000_000, sum: 21_000_000 });
  });

  test.each(["websocket", "batch"])(
    "is told over %s that its token is not the right one",
    async (transport) => {
      const code = await page.evaluate(
        ({ url, transport }) =>
          client
            .connect({ url, token: "wrong", transport })
            .reader("alice")
            .find("x")
            .catch((error: { code?: string }) => error.code),
        { url: guarded, transport },
      );
      expect(code).toBe("ERR_UNAUTHORIZED");
    },
  );

  test("calls a tool by fetch and reads a file, without any client", async () => {
    const answers = await page.evaluate(
      async ({ url, token }) => {
        const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
        const agent = `${url}/agents/reader/by-fetch`;
        const body = JSON.stringify({ title: "Note", text: "one two" });
        const called = await fetch(`${agent}/tools/shelve`, { method: "POST", headers, body });
        const file = await fetch(`${agent}/files/shelf/note.txt`, {
          headers: { ...headers, range: "bytes=4-" },
        });
        const put = await fetch(`${agent}/files/own`, { method: "PUT", headers, body: "mine" });
        const gone = await fetch(`${agent}/files/own`, { method: "DELETE", headers });
        return [
          await called.json(),
          await file.text(),
          file.headers.get("content-range"),
          put.status,
          gone.status,
        ];
      },
      { url: guarded, token: TOKEN },
    );
    expect(answers).toEqual([
      { path: "/shelf/note.txt", lines: 0, words: 2 },
      "two",
      "bytes 4-6/7",
      201,
      204,
    ]);
  });
});

describe("a page of a foreign origin", () => {
  const victim = "/agents/reader/victim";
  let witness: Witness;
  const agent = () => witness.url + victim;

  beforeEach(async () => {
    // What there is to steal, in the forms that pages load without asking.
    const scripted = "globalThis.stolen = true";
    await fetch(`${bare}${victim}/files/secret.js`, { method: "PUT", body: scripted });
    await fetch(`${bare}${victim}/files/secret.svg`, {
      method: "PUT",
      body: '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>',
    });
    await page.goto(`http://${FOREIGN}:${pages.port}/`);
    witness = await watchAnswers(bare);
  });

  afterEach(async () => {
    if (browserIsThere !== true) return;
    await witness[Symbol.asyncDispose]();
    expect(witness.answers.filter((answer) => !answer.endsWith(" 403"))).toEqual([]);
    const { entries } = (await (await fetch(`${bare}${victim}/files/`)).json()) as {
      entries: { name: string }[];
    };
    expect(entries.map(({ name }) => name)).toEqual(["secret.js", "secret.svg"]);
  });

  test("cannot fetch from any door, nor learn that it is there", async () => {
    const found = await page.evaluate(async (agent) => {
      const json = { "content-type": "application/json" };
      const body = '{"title":"x","text":"x"}';
      const attempts: [string, RequestInit][] = [
        ["/../../../", {}],
        ["/files/", {}],
        ["/files/secret.js", {}],
        ["/files/new", { method: "PUT", body: "x" }],
        ["/files/secret.js", { method: "DELETE" }],
        ["/tools/shelve", { method: "POST", body, headers: json }],
        ["/tools/shelve", { method: "POST", body }],
        ["/exec", { method: "POST", body: '{"source":"echo x > /new"}' }],
        [
          "/rpc",
          { method: "POST", body: '["push",["pipeline",0,["call"],["shelve",[["x","x"]]]]]\n["pull",1]' },
        ],
      ];
      return Promise.all(
        attempts.map(([path, init]) =>
          fetch(agent + path, init).then(
            ({ status }) => `${path} ${status}`,
            ({ name }) => name,
          ),
        ),
      );
    }, agent());
    expect(found).toEqual(Array(9).fill("TypeError"));
    // Some were asked about beforehand, and never sent.
    expect(witness.answers).toHaveLength(9);
  });

  test("cannot act by what needs no permission: no-cors, a beacon, a form", async () => {
    await page.evaluate(async (agent) => {
      const body = '{"title":"x","text":"x"}';
      await fetch(`${agent}/tools/shelve`, { method: "POST", mode: "no-cors", body }).catch(() => undefined);
      await fetch(`${agent}/files/secret.js`, { mode: "no-cors" }).catch(() => undefined);
      navigator.sendBeacon(`${agent}/exec`, '{"source":"echo x > /new"}');
    }, agent());
    // `{"title":"x","text":"="}`: how a form makes JSON.
    const answered = page.waitForResponse((response) => response.request().isNavigationRequest());
    await page.evaluate((agent) => {
      const form = document.createElement("form");
      Object.assign(form, { method: "post", enctype: "text/plain", action: `${agent}/tools/shelve` });
      const input = document.createElement("input");
      Object.assign(input, { name: '{"title":"x","text":"', value: '"}' });
      form.append(input);
      document.body.append(form);
      form.submit();
    }, agent());
    expect((await answered).status()).toBe(403);
    expect(witness.answers).toHaveLength(4);
  });

  test.each([
    ["script", "src", "secret.js"],
    ["img", "src", "secret.svg"],
    ["link", "href", "secret.js"],
    ["video", "src", "secret.js"],
  ])("cannot load a file by <%s>", async (tag, attribute, file) => {
    const loaded = await page.evaluate(
      ({ tag, attribute, url }) =>
        new Promise((resolve) => {
          const element = document.createElement(tag);
          if (tag === "link") element.setAttribute("rel", "stylesheet");
          element.addEventListener("load", () => resolve("load"));
          element.addEventListener("loadedmetadata", () => resolve("load"));
          element.addEventListener("error", () => resolve("error"));
          element.setAttribute(attribute, url);
          document.body.append(element);
        }),
      { tag, attribute, url: `${agent()}/files/${file}` },
    );
    expect(loaded).toBe("error");
    expect(await page.evaluate("globalThis.stolen")).toBeUndefined();
    expect(witness.answers).toEqual([`GET ${victim}/files/${file} 403`]);
  });

  test.each([
    ["the server without a token", () => bare, []],
    ["the server with one, which it knows", () => guarded, ["computer.bearer.", TOKEN]],
  ])("cannot open a WebSocket to %s", async (_, url, [prefix, token]) => {
    const outcome = await page.evaluate(
      ({ url, prefix, token }) =>
        new Promise((resolve) => {
          const protocols = token === undefined ? ["computer"] : ["computer", `${prefix}${btoa(token)}`];
          const socket = new WebSocket(`${url.replace("http", "ws")}/agents/reader/victim/rpc`, protocols);
          socket.onopen = () => resolve("open");
          socket.onclose = ({ code }) => resolve(code);
        }),
      { url: url(), prefix, token },
    );
    expect(outcome).toBe(1006);
  });

  test("gains nothing by having its own name lead to this machine", async () => {
    const rebound = await browser.newPage();
    try {
      const response = await rebound.goto(
        `http://${FOREIGN}:${new URL(bare).port}/agents/reader/victim/files/`,
      );
      expect(response?.status()).toBe(421);
      const status = await rebound.evaluate(async () => {
        const answer = await fetch("/agents/reader/victim/tools/shelve", {
          method: "POST",
          body: '{"title":"x","text":"x"}',
        });
        return answer.status;
      });
      expect(status).toBe(421);
    } finally {
      await rebound.close();
    }
  });
});

test.each([
  ["page.html", "<!doctype html><body><script>document.title = 'ran'</script>"],
  [
    "picture.svg",
    '<svg xmlns="http://www.w3.org/2000/svg"><script>document.documentElement.id = "ran"</script></svg>',
  ],
])("what an agent wrote into %s does not act as a page of the server's origin", async (name, body) => {
  const url = `${bare}/agents/reader/pages/files/${name}`;
  await fetch(url, { method: "PUT", body });
  const response = await page.goto(url);
  expect(response?.status()).toBe(200);
  expect(await page.evaluate("document.title + document.documentElement.id")).toBe("");
  expect(await page.evaluate("globalThis.origin")).toBe("null");
});
