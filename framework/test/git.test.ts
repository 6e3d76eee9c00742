import git from "isomorphic-git";
import { expect, test } from "vitest";
import { Workspace } from "../src/workspace/workspace.ts";

/*
 * isomorphic-git on `workspace.fs` as it is: no wrapper, no adapter. It asks a file system for promises by calling
 * `readFile` without arguments; one that answers a promise is used as it is, `fs.promises` is not needed.
 */
test("isomorphic-git runs unchanged on the files of a workspace", { timeout: 120_000 }, async () => {
  await using workspace = await Workspace.memory();
  const { fs } = workspace;
  const at = { fs, dir: "/repository" };
  const author = { name: "Ada", email: "ada@example.com" };
  const paths = Array.from({ length: 300 }, (_, i) => `src/part-${i % 20}/file-${i}.txt`);

  await git.init({ ...at, defaultBranch: "main" });
  await fs.writeMany(
    paths.map((path, i) => ({ path: `${at.dir}/${path}`, data: `line one of ${i}\nline two\nline three\n` })),
    { parents: true },
  );
  await fs.writeFile(`${at.dir}/run.sh`, "#!/bin/sh\n", { mode: 0o755 });
  await fs.symlink("run.sh", `${at.dir}/link`);
  await git.add({ ...at, filepath: "." });
  const first = await git.commit({ ...at, author, message: "First" });
  expect(await git.statusMatrix(at)).toHaveLength(302);
  expect(
    (await git.statusMatrix(at)).every(
      ([, head, workdir, stage]) => head === 1 && workdir === 1 && stage === 1,
    ),
  ).toBe(true);

  await git.branch({ ...at, ref: "topic", checkout: true });
  await fs.writeFile(`${at.dir}/${paths[0]}`, "line one of topic\nline two\nline three\n");
  await fs.unlink(`${at.dir}/${paths[1]}`);
  await fs.writeFile(`${at.dir}/new.txt`, "new\n");
  expect(await git.status({ ...at, filepath: paths[0] as string })).toBe("*modified");
  expect(await git.status({ ...at, filepath: paths[1] as string })).toBe("*deleted");
  expect(await git.status({ ...at, filepath: "new.txt" })).toBe("*added");
  await git.add({ ...at, filepath: [paths[0] as string, "new.txt"] });
  await git.remove({ ...at, filepath: paths[1] as string });
  const topic = await git.commit({ ...at, author, message: "Topic" });

  await git.checkout({ ...at, ref: "main" });
  expect(await fs.exists(`${at.dir}/new.txt`)).toBe(false);
  expect(await fs.readFile(`${at.dir}/${paths[1]}`, "utf8")).toContain("line one of 1\n");
  await fs.writeFile(`${at.dir}/${paths[2]}`, "changed on main\n");
  await git.add({ ...at, filepath: paths[2] as string });
  const main = await git.commit({ ...at, author, message: "Main" });
  const merged = await git.merge({ ...at, ours: "main", theirs: "topic", author, message: "Merge" });
  await git.checkout({ ...at, ref: "main", force: true });

  const log = await git.log(at);
  // It tells a commit once for each way that leads to it.
  const messages = new Set(log.map(({ commit }) => commit.message.trim()));
  expect([...messages].sort()).toEqual(["First", "Main", "Merge", "Topic"]);
  expect(log.find(({ oid }) => oid === merged.oid)?.commit.parent).toEqual([main, topic]);
  expect((await git.log({ ...at, ref: "topic" })).map(({ oid }) => oid)).toEqual([topic, first]);
  expect(await fs.readFile(`${at.dir}/${paths[0]}`, "utf8")).toContain("line one of topic\n");
  expect(await fs.readFile(`${at.dir}/${paths[2]}`, "utf8")).toBe("changed on main\n");
  expect(await fs.exists(`${at.dir}/${paths[1]}`)).toBe(false);
  expect(await fs.readlink(`${at.dir}/link`)).toBe("run.sh");
  expect((await fs.stat(`${at.dir}/run.sh`)).mode & 0o111).toBe(0o111);
  expect(
    (await git.statusMatrix(at)).filter(
      ([, head, workdir, stage]) => head !== 1 || workdir !== 1 || stage !== 1,
    ),
  ).toEqual([]);
  expect((await workspace.check()).problems).toEqual([]);
});
