import type { FormerNode } from "../../tree/apply.ts";
import { E } from "../../tree/errors.ts";
import { Directory, type Inode, S_IFDIR, S_IFREG } from "../../tree/inode.ts";
import type { Tree } from "../../tree/tree.ts";

/** What a player does at a path so that watchers hear of a change from outside. */
export interface Play {
  /** The path in the tree, one character per byte. */
  path: string;
  /** `st_ino` of the directory that the name is in; watchers of it are to hear of it. */
  parent: number;
  /** `st_ino` of what the name leads to, or led to. */
  node: number;
  act: "make" | "make directory" | "make link" | "remove" | "remove directory" | "touch";
  /** Permissions, for `touch`. */
  mode?: number;
}

interface Scene {
  /** What a player is to find it leads to. Undefined: nothing, so that it can be made. */
  ghost: Inode | undefined;
  /** What it leads to in truth. */
  real: Inode | undefined;
}

/**
 * The kernel tells watchers (inotify) only of what processes do through the mount. So after a change from
 * outside a thread of ours, the player, does once more what has already happened: it makes a name that is
 * there, or removes one that is gone. For the player alone the loop plays along; the tree does not change.
 * The kernel holds the directory locked meanwhile, so that nobody else sees the play.
 */
export class Stage {
  readonly #tree: Tree;
  readonly #players: Set<number>;
  readonly #scenes = new Map<string, Scene>();
  #password: string | undefined;

  constructor(tree: Tree, players: Set<number>) {
    this.#tree = tree;
    this.#players = players;
  }

  admit(name: string): void {
    this.#password = name;
  }

  /** Whether a thread is a player; it becomes one by looking up the name that it was told. */
  isPlayer(pid: number): boolean {
    return this.#players.has(pid);
  }

  /** Whether a name is the one that only a player knows. */
  enters(pid: number, name: string): boolean {
    if (this.#password === undefined || name !== this.#password) return false;
    this.#password = undefined;
    this.#players.add(pid);
    return true;
  }

  /** A name that leads elsewhere now. */
  play(
    parent: Inode,
    name: string,
    path: string,
    before: FormerNode | undefined,
    now: Inode | undefined,
  ): Play {
    const base = { path, parent: parent.id, node: now?.id ?? 0 };
    if (now !== undefined) {
      this.#scenes.set(keyOf(parent, name), { ghost: undefined, real: now });
      const act = now.isDirectory ? "make directory" : now.isSymlink ? "make link" : "make";
      return { ...base, act };
    }
    const isDirectory = before?.isDirectory === true;
    this.#scenes.set(keyOf(parent, name), { ghost: this.#ghost(isDirectory), real: undefined });
    return { ...base, act: isDirectory ? "remove directory" : "remove" };
  }

  /** A node of which attributes changed. */
  touch(parent: Inode, node: Inode, path: string): Play {
    return { path, parent: parent.id, node: node.id, act: "touch", mode: node.mode & 0o7777 };
  }

  /** What a player finds under a name; undefined when no play is on there. */
  scene(parent: Inode, name: string): Scene | undefined {
    return this.#scenes.get(keyOf(parent, name));
  }

  /** A player makes a name: what is there already. */
  made(parent: Inode, name: string): Inode {
    const scene = this.scene(parent, name);
    const entry = this.#tree.entry(parent, name);
    // Somebody took it away or replaced it since: then that is what watchers hear of.
    if (scene?.real === undefined || entry?.node !== scene.real) throw E.EEXIST;
    this.#scenes.delete(keyOf(parent, name));
    return scene.real;
  }

  /** A player removes a name that is gone already. */
  removed(parent: Inode, name: string): void {
    const scene = this.scene(parent, name);
    if (scene?.ghost === undefined || this.#tree.entry(parent, name) !== undefined) throw E.ENOENT;
    this.#scenes.delete(keyOf(parent, name));
  }

  clear(): void {
    for (const { ghost } of this.#scenes.values()) if (ghost?.alive) this.#tree.release(ghost);
    this.#scenes.clear();
  }

  /** A node that only a player sees, for as long as the kernel remembers it. */
  #ghost(isDirectory: boolean): Inode {
    const tree = this.#tree;
    const node = tree.table.add(tree.nextId++, isDirectory ? S_IFDIR | 0o700 : S_IFREG | 0o600);
    if (isDirectory) node.directory = new Directory();
    node.nlink = isDirectory ? 2 : 1;
    return node;
  }
}

function keyOf({ slot, generation }: Inode, name: string): string {
  return `${slot}.${generation}/${name}`;
}
