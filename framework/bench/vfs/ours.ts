import { Workspace } from "../../src/workspace/workspace.ts";
import { benchObject, handlers } from "./object.ts";

/** Our workspace in a Durable Object. */
export const BenchObject = benchObject((storage) => {
  const { fs } = new Workspace({ storage });
  return {
    mkdir: (path, options) => fs.mkdir(path, options),
    writeFile: (path, data) => fs.writeFile(path, data),
    readFile: (path, encoding) => fs.readFile(path, encoding),
    readBytes: (path) => fs.readFile(path),
    stat: (path) => fs.stat(path),
    rm: (path, options) => fs.rm(path, options),
    grep: (text, path) => fs.grep(text, { path }),
  };
});

// biome-ignore lint/style/noDefaultExport: it is how a Worker exports its handlers
export default handlers;
