#!/usr/bin/env node
// The command. Plain JavaScript, so that an old Node can at least say that it is too old.
const major = Number(process.versions.node.split(".")[0]);
if (major < 20) {
  console.error(`create-computer needs Node 20 or newer; this is Node ${process.versions.node}.`);
  process.exit(1);
}
const { main } = await import("../dist/cli.js");
process.exitCode = await main(process.argv.slice(2));
