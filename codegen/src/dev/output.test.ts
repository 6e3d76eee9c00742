import { expect, test } from "vitest";
import { OutputReader } from "./output.ts";

const PROJECT = process.platform === "win32" ? "C:\\app" : "/app";
const at = (file: string) => `file://${process.platform === "win32" ? "/C:" : ""}/app/${file}`;

test("drops what wrangler says about itself, and keeps what the worker prints", () => {
  const text = `Using secrets defined in .dev.vars
Your Worker has access to the following bindings:
Binding                      Resource              Mode
env.READER (ReaderObject)    Durable Object        local

⎔ Starting local server...
[wrangler:info] Ready on http://127.0.0.1:4711
[wrangler:info] GET / 200 OK (17ms)
hello { a: 1 }

Binding
`;
  expect(new OutputReader(PROJECT).read(text)).toEqual([
    { kind: "plain", text: "hello { a: 1 }" },
    { kind: "plain", text: "" },
    { kind: "plain", text: "Binding" },
  ]);
});

test("shows errors with stacks that name files from the project's folder, each once", () => {
  const text = `✘ [ERROR] Uncaught TypeError: no Error

      at Thing.boom (${at("src/thing.ts")}:9:11)
      at fetch (file:///elsewhere/lib.js:1:2)


✘ [ERROR] Uncaught TypeError: no 


▲ [WARNING] careful

`;
  expect(new OutputReader(PROJECT).read(text)).toEqual([
    { kind: "error", text: "Uncaught TypeError: no" },
    {
      kind: "stack",
      text: `    at Thing.boom (${process.platform === "win32" ? "src\\thing.ts" : "src/thing.ts"}:9:11)`,
    },
    { kind: "stack", text: "    at fetch (/elsewhere/lib.js:1:2)" },
    { kind: "warning", text: "careful" },
  ]);
});

test("takes text in any parts, and bounds a line that does not end", () => {
  const reader = new OutputReader(PROJECT);
  expect(reader.read("hel")).toEqual([]);
  expect(reader.read("lo\r\nnext")).toEqual([{ kind: "plain", text: "hello" }]);
  const [line] = reader.read("x".repeat(200_000));
  expect(line?.text).toHaveLength(200_004);
});

test("strips control sequences, which a hostile run could send to the terminal", () => {
  expect(new OutputReader(PROJECT).read("\x1b[31mred\x1b[0m\x1b]0;title\x07\x07 \x9b2J\r\n")).toEqual([
    { kind: "plain", text: "red " },
  ]);
});
