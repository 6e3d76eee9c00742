import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { problems } from "../../test/contracts/integrity.ts";
import { nodeLab as lab } from "../../test/history/node-storage.ts";
import { pastProblems } from "../../test/history/past-problems.ts";
import { apply, covered, parameters, steps } from "../../test/history/random.ts";
import { type Item, image, items, type Lab, type OpenRun } from "../../test/history/tools.ts";
import type { Sql } from "../vfs/sql/types.ts";
import type { FileSystem } from "../vfs/types.ts";
import type { Change } from "./types.ts";

afterAll(() => {
  const counts = [...covered].sort().map(([key, count]) => `${key} ${count}`);
  console.log(`verbs and outcomes: ${counts.join(", ")}`);
});

/** Actor 0 is the host, the others are runs. */
async function actors(
  place: Lab,
  count: number,
): Promise<{ fs: (actor: number) => FileSystem; runs: OpenRun[] }> {
  const runs: OpenRun[] = [];
  for (let i = 1; i < count; i++) runs.push(await place.begin());
  return { runs, fs: (actor) => runs[actor - 1]?.fs ?? place.workspace.fs };
}

describe("random histories", { timeout: 180_000 }, () => {
  test("any kept state reads back as it was", async () => {
    const part = fc.record({
      steps: steps(3, { max: 15 }),
      next: fc.constantFrom("snapshot", "runs", "remove", "prune"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 2, maxLength: 8, size: "max" }), async (parts) => {
        await using place = await lab();
        const { history } = place.workspace;
        const kept = new Map<string, Record<string, string>>();
        let { runs, fs } = await actors(place, 3);
        for (const [i, { steps, next }] of parts.entries()) {
          for (const step of steps) await apply(fs(step.actor), step);
          if (next === "snapshot" || i === parts.length - 1) {
            await history.snapshot(`${i}`);
            kept.set(`${i}`, await image(place.workspace.fs));
          } else if (next === "runs") {
            for (const run of runs) await run.end();
            ({ runs, fs } = await actors(place, 3));
          } else if (next === "remove" && kept.size > 0) {
            const [name = ""] = [...kept.keys()].slice(i % kept.size);
            await history.remove(name);
            kept.delete(name);
          } else await history.prune();
          for (const [name, expected] of kept) expect(await image(history.at(name))).toEqual(expected);
        }
        expect(unsound(place.sql)).toEqual([]);
        for (const run of runs) await run.end();
      }),
      parameters("states", 60),
    );
  });

  test("what a run sees at its beginning and end reads back", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps(2, { max: 12 }), { minLength: 2, maxLength: 5 }), async (rounds) => {
        await using place = await lab();
        const states: { id: string; before: Record<string, string>; after: Record<string, string> }[] = [];
        for (const round of rounds) {
          for (const step of round.filter(({ actor }) => actor === 0)) await apply(place.workspace.fs, step);
          const before = await image(place.workspace.fs);
          const id = await place.run(async (fs) => {
            for (const step of round.filter(({ actor }) => actor === 1)) await apply(fs, step);
          });
          states.push({ id, before, after: await image(place.workspace.fs) });
        }
        const runs = await place.workspace.history.runs();
        for (const { id, before, after } of states) {
          const run = runs.find(({ runId }) => runId === id);
          if (run === undefined) expect(after).toEqual(before);
          else {
            expect(await image(place.workspace.history.at(run.before))).toEqual(before);
            expect(await image(place.workspace.history.at(run.after ?? -1))).toEqual(after);
          }
        }
      }),
      parameters("runs", 40),
    );
  });

  test("a run that had the files for itself is undone to the last bit, and undoing that brings it back", async () => {
    await fc.assert(
      fc.asyncProperty(steps(1), steps(1), fc.boolean(), async (before, during, snapshotInBetween) => {
        await using place = await lab();
        const { fs, history } = place.workspace;
        for (const step of before) await apply(fs, step);
        const was = await image(fs);
        const id = await place.run(async (files) => {
          for (const [i, step] of during.entries()) {
            await apply(files, step);
            if (snapshotInBetween && i % 7 === 0) await history.snapshot(`${i}`);
          }
        });
        const then = await image(fs);
        if ((await history.runs()).length === 0) return;
        const undone = await history.undo(id);
        expect(undone.conflicts).toEqual([]);
        expect(await image(fs)).toEqual(was);
        expect(unsound(place.sql)).toEqual([]);
        if (undone.runId === undefined) return expect(then).toEqual(was);
        const redone = await history.undo(undone.runId);
        expect(redone.conflicts).toEqual([]);
        expect(await image(fs)).toEqual(then);
        expect(unsound(place.sql)).toEqual([]);
      }),
      parameters("undo alone", 100),
    );
  });

  test("of three interleaved runs in folders of their own, one is undone and the others stay", async () => {
    const mine = (actor: number) => steps(1, { below: `/${actor}`, max: 25 });
    await fc.assert(
      fc.asyncProperty(mine(0), mine(1), mine(2), fc.nat(2), async (a, b, c, which) => {
        await using place = await lab();
        const { fs, history } = place.workspace;
        for (const actor of [0, 1, 2]) {
          await fs.mkdir(`/${actor}/a`, { recursive: true });
          await fs.writeFile(`/${actor}/a/b`, "old");
          await fs.writeFile(`/${actor}/c`, new Uint8Array(300_000).fill(actor + 1));
        }
        const was = await Promise.all([0, 1, 2].map((actor) => image(fs, `/${actor}`)));
        const runs = [await place.begin(), await place.begin(), await place.begin()];
        for (let i = 0; i < 40; i++) {
          for (const [actor, list] of [a, b, c].entries()) {
            const step = list[i];
            const run = runs[actor];
            if (step !== undefined && run !== undefined) await apply(run.fs, step);
          }
        }
        for (const run of runs) await run.end();
        const then = await Promise.all([0, 1, 2].map((actor) => image(fs, `/${actor}`)));
        const known = (await history.runs()).map(({ runId }) => runId);
        if (!known.includes(runs[which]?.id ?? "")) return;
        const { conflicts } = await history.undo(runs[which]?.id ?? "");
        expect(conflicts).toEqual([]);
        for (const actor of [0, 1, 2])
          expect(await image(fs, `/${actor}`)).toEqual((actor === which ? was : then)[actor]);
        expect(unsound(place.sql)).toEqual([]);
      }),
      parameters("undo among three", 60),
    );
  });

  test("undoing one of several that got in each other's way leaves a sound tree", async () => {
    await fc.assert(
      fc.asyncProperty(
        steps(1, { max: 15 }),
        steps(4, { max: 60 }),
        fc.integer({ min: 1, max: 3 }),
        async (before, during, which) => {
          await using place = await lab();
          for (const step of before) await apply(place.workspace.fs, step);
          const { runs, fs } = await actors(place, 4);
          for (const step of during) await apply(fs(step.actor), step);
          for (const run of runs) await run.end();
          const known = (await place.workspace.history.runs()).map(({ runId }) => runId);
          const id = runs[which - 1]?.id ?? "";
          if (!known.includes(id)) return;
          const undone = await place.workspace.history.undo(id);
          expect(unsound(place.sql)).toEqual([]);
          if (undone.runId !== undefined) await place.workspace.history.undo(undone.runId);
          expect(unsound(place.sql)).toEqual([]);
        },
      ),
      parameters("undo in a tangle", 150),
    );
  });

  test("restoring makes everything what it was", async () => {
    await fc.assert(
      fc.asyncProperty(steps(2, { max: 25 }), steps(2), async (before, after) => {
        await using place = await lab();
        const { history, fs: host } = place.workspace;
        const { runs, fs } = await actors(place, 2);
        for (const step of before) await apply(fs(step.actor), step);
        await history.snapshot("was");
        const was = await image(host);
        for (const step of after) await apply(fs(step.actor), step);
        await history.snapshot("then");
        const then = await image(host);
        await history.restore("was");
        expect(await image(host)).toEqual(was);
        expect(unsound(place.sql)).toEqual([]);
        await history.restore("then");
        expect(await image(host)).toEqual(then);
        expect(await image(history.at("was"))).toEqual(was);
        expect(unsound(place.sql)).toEqual([]);
        for (const run of runs) await run.end();
      }),
      parameters("restore", 120),
    );
  });

  test("restoring one path leaves the others", async () => {
    const path = fc.constantFrom("/a", "/b", "/a/b", "/b/a", "/a/b/c", "/c");
    const without = ["link"] as const;
    await fc.assert(
      fc.asyncProperty(
        steps(1, { max: 30, without }),
        steps(1, { without }),
        path,
        async (before, after, path) => {
          await using place = await lab();
          const { history, fs } = place.workspace;
          for (const step of before) await apply(fs, step);
          await history.snapshot("was");
          const was = await image(fs);
          for (const step of after) await apply(fs, step);
          const then = await image(fs);
          let failed: unknown;
          await history.restore("was", { paths: [path] }).catch((error) => {
            // Something that is no folder may be where one should be.
            if (!["ENOTDIR", "EEXIST", "ELOOP", "ENOENT"].includes(error.code)) throw error;
            failed = error;
          });
          const now = await image(fs);
          expect(unsound(place.sql)).toEqual([]);
          if (failed !== undefined || Object.values(was).some((what) => what.startsWith("symlink"))) return;
          if (Object.values(then).some((what) => what.startsWith("symlink"))) return;
          const inside = (of: Record<string, string>) =>
            Object.fromEntries(Object.entries(of).filter(([at]) => at === path || at.startsWith(`${path}/`)));
          // Of the folders above only entries and counts change.
          const outside = (of: Record<string, string>) =>
            Object.fromEntries(
              Object.entries(of).filter(
                ([at]) =>
                  at !== path && !at.startsWith(`${path}/`) && !path.startsWith(`${at}/`) && at !== "/",
              ),
            );
          expect(inside(now)).toEqual(inside(was));
          expect(outside(now)).toEqual(outside(then));
        },
      ),
      parameters("restore a path", 120),
    );
  });

  test("a difference is that of two full copies", async () => {
    await fc.assert(
      fc.asyncProperty(
        steps(2, { max: 25 }),
        steps(2),
        steps(1, { max: 10 }),
        async (before, between, after) => {
          await using place = await lab();
          const { history } = place.workspace;
          const { runs, fs } = await actors(place, 2);
          for (const step of before) await apply(fs(step.actor), step);
          await history.snapshot("a");
          const a = await items(place.workspace.fs);
          for (const step of between) await apply(fs(step.actor), step);
          await history.snapshot("b");
          const b = await items(place.workspace.fs);
          for (const step of after) await apply(fs(step.actor), step);
          for (const run of runs) await run.end();
          expect(await told(history.diff("a", "b"), b)).toEqual(naive(a, b));
          expect(await told(history.diff("b", "a"), a)).toEqual(naive(b, a));
        },
      ),
      parameters("diff", 120),
    );
  });

  test("a fork is what it was made from", async () => {
    await fc.assert(
      fc.asyncProperty(steps(1), async (list) => {
        await using place = await lab();
        await using copy = await lab();
        for (const step of list) await apply(place.workspace.fs, step);
        await place.workspace.history.fork(copy.workspace);
        expect(await items(copy.workspace.fs)).toEqual(await items(place.workspace.fs));
        expect(unsound(copy.sql)).toEqual([]);
      }),
      parameters("fork", 40),
    );
  });
});

function unsound(sql: Sql): string[] {
  return [...problems(sql), ...pastProblems(sql)];
}

/** Of a node with several names, any may be told when it was modified: here the first. */
function firstNames(list: readonly Item[]): Map<string, string> {
  const first = new Map<number, string>();
  return new Map(
    list.map(({ ino, path }) => {
      if (!first.has(ino)) first.set(ino, path);
      return [path, first.get(ino) ?? path];
    }),
  );
}

async function told(changes: AsyncIterable<Change>, to: readonly Item[]): Promise<string[]> {
  const found: string[] = [];
  const names = firstNames(to);
  for await (const { kind, path, from, content, mode } of changes)
    found.push(`${kind} ${kind === "modified" ? names.get(path) : path} ${from ?? ""} ${content} ${mode}`);
  return found.sort();
}

/** What differs, by looking at everything. */
function naive(a: readonly Item[], b: readonly Item[]): string[] {
  const found: string[] = [];
  const names = firstNames(b);
  const byIno = (list: readonly Item[]) => new Map(list.map((item) => [item.ino, item]));
  const byName = (list: readonly Item[]) => new Map(list.map((item) => [nameKey(item), item]));
  const [aInos, bInos, aNames, bNames] = [byIno(a), byIno(b), byName(a), byName(b)];
  const isOne = (item: Item) => item.kind === "directory" || item.nlink === 1;
  const differs = (x: Item, y: Item) => ({
    content: x.kind !== y.kind || withoutTime(x) !== withoutTime(y),
    mode: x.mode !== y.mode,
  });
  const tell = (kind: string, path: string, from: string, x: Item | undefined, y: Item | undefined) => {
    const { content, mode } =
      x && y ? differs(x, y) : { content: (x ?? y)?.kind !== "directory", mode: false };
    const name = kind === "modified" ? names.get(path) : path;
    if (kind !== "modified" || content || mode) found.push(`${kind} ${name} ${from} ${content} ${mode}`);
  };
  /** Has one name in both: if that is another now, it moved. */
  const isElsewhere = ({ ino }: Item) => {
    const [was, is] = [aInos.get(ino), bInos.get(ino)];
    return was !== undefined && is !== undefined && isOne(was) && isOne(is);
  };
  for (const item of b) {
    const before = aNames.get(nameKey(item));
    if (before?.ino === item.ino) continue;
    if (isElsewhere(item))
      tell("moved", item.path, aInos.get(item.ino)?.path ?? "", aInos.get(item.ino), item);
    else if (before && !isElsewhere(before))
      tell(before.kind === item.kind ? "modified" : "type", item.path, "", before, item);
    else tell("added", item.path, "", undefined, item);
  }
  for (const item of a) {
    const now = bNames.get(nameKey(item));
    if (now?.ino === item.ino || isElsewhere(item)) continue;
    if (now === undefined || isElsewhere(now)) tell("removed", item.path, "", item, undefined);
  }
  // Nodes that stayed where they are.
  const seen = new Set<number>();
  for (const item of b) {
    const was = aInos.get(item.ino);
    if (!was || seen.has(item.ino)) continue;
    seen.add(item.ino);
    const moved = isOne(was) && isOne(item) && nameKey(was) !== nameKey(item);
    if (!moved) {
      const { content, mode } = differs(was, item);
      if (content || mode) found.push(`modified ${item.path} ${""} ${content} ${mode}`);
    }
  }
  return found.sort();
}

function nameKey({ parent, path }: Item): string {
  return `${parent}/${path.slice(path.lastIndexOf("/") + 1)}`;
}

function withoutTime({ kind, content }: Item): string {
  return kind === "file" ? content.split(" ").slice(0, 2).join(" ") : content;
}
