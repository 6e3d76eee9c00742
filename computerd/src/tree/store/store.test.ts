import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Random } from "../../../test/support/random.ts";
import { setAttributes, writeFile } from "../attributes.ts";
import { type Inode, S_IFDIR, S_IFLNK, S_IFREG } from "../inode.ts";
import type { Tree } from "../tree.ts";
import { setXattr } from "../xattrs.ts";
import { Store } from "./store.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "computerd-store-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const USER = { uid: 7, gid: 8 };

/** Everything that a tree holds, as text; or its shape alone, without times and contents. */
function picture(tree: Tree, shape = false): string {
  const lines: string[] = [];
  const walk = (node: Inode, path: string) => {
    const xattrs = [...(node.xattrs ?? [])].map(([name, value]) => `${name}=${value.toString("hex")}`);
    lines.push(
      `${path} ${node.id} ${node.mode.toString(8)} ${node.uid} ${node.nlink} ${node.size} ${node.target ?? ""} ${xattrs}`,
    );
    if (!shape) {
      const bytes = Buffer.alloc(node.isFile ? node.size : 0);
      tree.content.read(node, 0, bytes.length, bytes, 0);
      lines.push(`${node.mtimeSec}.${node.mtimeNsec} ${node.ctimeNsec} ${bytes.toString("base64")}`);
    }
    for (const { name, node: child } of [...(node.directory?.values() ?? [])].sort((a, b) =>
      a.name < b.name ? -1 : 1,
    ))
      walk(child as Inode, `${path}/${name}`);
  };
  walk(tree.root, "");
  return lines.join("\n");
}

/** Changes a tree at random. */
function stir(tree: Tree, random: Random, steps: number): void {
  for (let step = 0; step < steps; step++) {
    const nodes = [...tree.table.values()];
    const directories = nodes.filter((node) => node.isDirectory && (node === tree.root || node.entry));
    const parent = random.pick(directories);
    const entries = [...(parent.directory?.values() ?? [])];
    const name = `n${random.int(30)}`;
    try {
      const verb = random.int(9);
      if (verb <= 1) tree.make(parent, name, { mode: S_IFREG | 0o644, ...USER });
      else if (verb === 2) tree.make(parent, name, { mode: S_IFDIR | 0o755, ...USER });
      else if (verb === 3)
        tree.make(parent, name, { mode: S_IFLNK | 0o777, ...USER, target: Buffer.from("t") });
      else if (entries.length > 0) {
        const entry = random.pick(entries);
        const node = entry.node as Inode;
        if (verb === 4) tree.rename(parent, entry.name, random.pick(directories), name, random.int(3));
        else if (verb === 5 && node.isDirectory) tree.rmdir(parent, entry.name);
        else if (verb === 5) tree.unlink(parent, entry.name);
        else if (verb === 6) tree.link(node, random.pick(directories), name);
        else if (verb === 7 && node.isFile)
          writeFile(tree, node, random.int(20_000), random.bytes(500), 0, 500);
        else if (verb === 8) {
          setAttributes(tree, node, {
            mode: random.int(0o7777),
            ...(node.isFile ? { size: random.int(30_000) } : {}),
          });
          setXattr(tree, node, `user.${name}`, random.bytes(3), 0);
        }
      }
    } catch {
      // A refusal is fine: nothing happened.
    }
  }
}

describe("the store", () => {
  test("comes back with exactly what was committed, after any number of commits", () => {
    const random = new Random();
    let store = Store.open(folder);
    for (let round = 0; round < 40; round++) {
      stir(store.tree, random, 40);
      store.commit();
      const before = picture(store.tree);
      if (round % 4 === 3) {
        // A crash: nothing is closed, the files are as they are.
        const used = store.tree.segments.used;
        store = Store.open(folder);
        expect(picture(store.tree), `seed ${random.seed}, round ${round}`).toBe(before);
        expect(store.tree.segments.used).toBeLessThanOrEqual(used);
      }
    }
    store.close();
  });

  test("a journal cut anywhere gives a state that was committed", () => {
    const random = new Random();
    const store = Store.open(folder);
    const shapes = [picture(store.tree, true)];
    for (let round = 0; round < 12; round++) {
      stir(store.tree, random, 15);
      store.commit();
      shapes.push(picture(store.tree, true));
    }
    const journal = join(folder, "journal");
    const { size } = statSync(journal);
    const whole = readFileSync(journal);
    for (let cut = 0; cut < 60; cut++) {
      writeFileSync(journal, whole);
      truncateSync(journal, random.int(size + 1));
      const { tree } = Store.open(folder);
      expect(shapes).toContain(picture(tree, true));
    }
    // So does one with a byte changed.
    for (let flip = 0; flip < 30; flip++) {
      const damaged = Buffer.from(whole);
      const at = random.int(size);
      damaged[at] = (damaged[at] as number) ^ 0xff;
      writeFileSync(journal, damaged);
      expect(shapes).toContain(picture(Store.open(folder).tree, true));
    }
  });

  test("what was unlinked but is held does not come back, nor does its space", () => {
    let store = Store.open(folder);
    const { tree } = store;
    const node = tree.make(tree.root, "f", { mode: S_IFREG | 0o600, ...USER });
    node.lookups = 1;
    writeFile(tree, node, 0, Buffer.alloc(100_000, 1), 0, 100_000);
    store.commit();
    tree.unlink(tree.root, "f");
    store.commit();
    expect(tree.segments.used).toBe(25);
    store = Store.open(folder);
    expect(store.tree.segments.used).toBe(0);
    expect(store.tree.table.count).toBe(1);
    store.close();
  });

  test("a commit without changes writes nothing", () => {
    const store = Store.open(folder);
    store.tree.make(store.tree.root, "f", { mode: S_IFREG | 0o600, ...USER });
    store.commit();
    const { size } = statSync(join(folder, "journal"));
    store.commit();
    expect(statSync(join(folder, "journal")).size).toBe(size);
    store.close();
  });
});
