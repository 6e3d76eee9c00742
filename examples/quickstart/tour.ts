/**
 * A guided call: what a program that uses the agent looks like. `npm start` runs it, and so can you, while
 * `computer dev` serves this project: `node tour.ts http://127.0.0.1:8787`.
 */
import { readFile } from "node:fs/promises";
import { connect } from "./generated/client.ts";

const url = process.argv[2] ?? "http://127.0.0.1:8787";
const token = process.env.COMPUTER_TOKEN;

using computer = connect(token ? { url, token } : { url });
using reader = computer.reader("tour");

say("\nWrite files: three texts go on the agent's shelf.");
for (const [title, file] of [
  ["Sonnet 18", "sonnet-18.txt"],
  ["Sonnet 116", "sonnet-116.txt"],
  ["Gettysburg Address", "gettysburg-address.txt"],
] as const) {
  const text = await readFile(new URL(`texts/${file}`, import.meta.url), "utf8");
  await step(`reader.shelve(${quote(title)}, …)`, async () => {
    const { path, lines, words } = await reader.shelve(title, text);
    return [`${path}  ${lines} lines, ${words} words`];
  });
}

say("\nRun a shell pipeline over them: tr | grep | sort | uniq -c | sort | head");
await step('reader.topWords("Gettysburg Address", 5)', async () => {
  const top = await reader.topWords("Gettysburg Address", 5);
  return [top.map(({ word, count }) => `${word} ${count}`).join(", ")];
});

say("\nSearch the whole shelf: grep -rinF");
await step('reader.find("love")', async () => {
  const found = await reader.find("love");
  return found.map(({ path, line, text }) => `${path}:${line}  ${text}`);
});

/** Makes a call, and prints it with its time and what came of it. */
async function step(call: string, run: () => Promise<string[]>): Promise<void> {
  const began = performance.now();
  const results = await run();
  const took = `${Math.round(performance.now() - began)} ms`;
  say(`  ${bold(call.padEnd(44))} ${dim(took.padStart(8))}`);
  for (const result of results) say(`      ${result}`);
}

function say(text: string): void {
  console.log(text);
}

function quote(text: string): string {
  return JSON.stringify(text);
}

function bold(text: string): string {
  return process.stdout.isTTY ? `\x1b[1m${text}\x1b[22m` : text;
}

function dim(text: string): string {
  return process.stdout.isTTY ? `\x1b[2m${text}\x1b[22m` : text;
}
