import { Workspace } from "../../src/workspace/workspace.ts";
import { crashContent, crashPath } from "./content.ts";

/*
 * Writes files into the workspace at argv[2], from number argv[3] on, until it is killed, and says the number
 * of each once it is acknowledged. Also removes and makes a directory now and then.
 */
const workspace = await Workspace.open(process.argv[2] ?? "");
await workspace.fs.mkdir("/out", { recursive: true });
for (let index = Number(process.argv[3]); ; index++) {
  if (index % 4 === 0)
    await new Blob([crashContent(index)]).stream().pipeTo(workspace.fs.createWriteStream(crashPath(index)));
  else await workspace.fs.writeFile(crashPath(index), crashContent(index));
  process.stdout.write(`${index}\n`);
  if (index % 10 !== 9) continue;
  await workspace.fs.mkdir("/scratch/deep", { recursive: true });
  for (let i = 0; i < 20; i++) await workspace.fs.writeFile(`/scratch/deep/${i}`, "x");
  await workspace.fs.rm("/scratch", { recursive: true });
}
