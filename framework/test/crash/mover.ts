import { Workspace } from "../../src/workspace/workspace.ts";

/*
 * Copies and removes trees in the workspace at argv[2] until it is killed, and says when each begins: `cp`, `rm`,
 * `handle` (a file that is removed while it is open).
 */
const { fs } = await Workspace.open(process.argv[2] ?? "");
if (!(await fs.exists("/from"))) {
  await fs.mkdir("/from");
  for (let part = 0; part < 20; part++) {
    const text = (i: number) => `${part}-${i} `.repeat(i % 50 === 0 ? 9_000 : 10);
    await fs.writeMany(
      Array.from({ length: 200 }, (_, i) => ({ path: `/from/${part}/${i % 7}/${i}`, data: text(i) })),
      { parents: true },
    );
  }
}
const say = (what: string) => process.stdout.write(`${what}\n`);
for (let round = 0; ; round++) {
  say("cp");
  await fs.cp("/from", `/to-${round}`, { recursive: true });
  say("rm");
  await fs.rm(`/to-${round}`, { recursive: true });
  say("handle");
  await fs.writeFile("/open", "x".repeat(100_000));
  const file = await fs.open("/open", "r+");
  await fs.rm("/open");
  await file.write("y", 50_000);
  if (round % 2 === 0) await file.close();
}
