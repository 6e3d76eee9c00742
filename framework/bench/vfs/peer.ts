/// <reference path="./peer-module.d.ts" />
import { Workspace } from "@cloudflare/computer";
import { benchObject, handlers } from "./object.ts";

/** The peer's workspace in a Durable Object. */
export const BenchObject = benchObject((storage) => {
  const { fs } = new Workspace({ storage });
  return {
    mkdir: (path, options) => fs.mkdir(path, options),
    writeFile: (path, data) => fs.writeFile(path, data),
    readFile: (path, encoding) => fs.readFile(path, encoding),
    // Without an encoding it answers a stream.
    readBytes: async (path) => new Uint8Array(await new Response(await fs.readFile(path)).arrayBuffer()),
    stat: (path) => fs.stat(path),
    rm: (path, options) => fs.rm(path, options),
    grep: (text, path) => fs.grep(text, path),
  };
});

// biome-ignore lint/style/noDefaultExport: it is how a Worker exports its handlers
export default handlers;
