import { Workspace } from "../../src/workspace/workspace.ts";
import { benchObject, handlers } from "./object.ts";

/** Our workspace in a Durable Object. */
export const BenchObject = benchObject((storage) => {
  const { fs } = new Workspace({ storage });
  return {
    mkdir: (path, options) => fs.mkdir(path, options),
    writeFile: (path, data) => fs.writeFile(path, data),
    readFile: (path, encoding) => fs.readFile(path, encoding),
    stat: (path) => fs.stat(path),
    rm: (path, options) => fs.rm(path, options),
    // There is no verb that searches yet: what a tool would write.
    async grep(text, path) {
      const found: string[] = [];
      for (const name of await fs.readdir(path)) {
        const lines = (await fs.readFile(`${path}/${name}`, "utf8")).split("\n");
        if (lines.some((line) => line.includes(text))) found.push(name);
      }
      return found;
    },
  };
});

// biome-ignore lint/style/noDefaultExport: it is how a Worker exports its handlers
export default handlers;
