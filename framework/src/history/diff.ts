import { isDirectory, type Node } from "../vfs/node.ts";
import { type NameChange, Span, STEP, type Step } from "./changes.ts";
import { type At, kindOf, sameContent, sameKind, samePermissions } from "./compare.ts";
import { PATCH_BYTES, unifiedPatch } from "./patch.ts";
import type { Change, DiffOptions } from "./types.ts";
import type { Held } from "./views.ts";

/** What differs between two states, the earlier of which is `lo`, told from `from` to `to`. */
export class Diff {
  readonly #span: Span;
  readonly #lo: Held;
  readonly #hi: Held;
  /** Asked from the later to the earlier one. */
  readonly #reversed: boolean;
  readonly #below: string | undefined;
  readonly #withPatch: boolean;

  constructor(from: Held, to: Held, options: DiffOptions) {
    this.#reversed = from.store.at > to.store.at;
    [this.#lo, this.#hi] = this.#reversed ? [to, from] : [from, to];
    this.#span = new Span(this.#lo.store, this.#hi.store);
    const path = options.path?.replace(/\/+$/, "");
    this.#below = path === "" ? undefined : path;
    this.#withPatch = options.patch === true;
  }

  /** The changes, with steps between them at which others may have their turn. */
  *changes(): Generator<Change | Step> {
    const span = this.#span;
    for (const found of span.names()) {
      if (found === STEP) {
        yield STEP;
        continue;
      }
      for (const change of this.#ofName(found)) if (this.#asked(change)) yield this.#told(change);
    }
    for (const before of span.oldNodes()) {
      if (before === STEP) {
        yield STEP;
        continue;
      }
      const change = this.#ofNode(before);
      if (change !== undefined && this.#asked(change)) yield this.#told(change);
    }
  }

  #ofName({ directory, name, before, after }: NameChange): Found[] {
    const { lo, hi, loPaths, hiPaths } = this.#span;
    const [was, now] = [before && lo.find(before), after && hi.find(after)];
    const [old, path] = [loPaths.entry(directory, name), hiPaths.entry(directory, name)];
    const left = was && !this.#isElsewhere(was) && old !== undefined ? was : undefined;
    if (!now || path === undefined) return left && old ? [{ kind: "removed", path: old, before: left }] : [];
    if (this.#isElsewhere(now)) {
      const from = loPaths.of(now.id) as string;
      const moved: Found = { kind: "moved", path, from, before: lo.node(now.id), after: now };
      return left && old ? [moved, { kind: "removed", path: old, before: left }] : [moved];
    }
    if (!left || old === undefined) return [{ kind: "added", path, after: now }];
    const kind = sameKind(left, now) ? "modified" : "type";
    return [{ kind, path, pathBefore: old, before: left, after: now }];
  }

  /** Whether a node has one name in both states: when one of them changed, it moved. */
  #isElsewhere({ id }: Node): boolean {
    const { lo, hi, loPaths, hiPaths } = this.#span;
    const [was, now] = [lo.find(id), hi.find(id)];
    return (
      was !== undefined &&
      now !== undefined &&
      isOne(was) &&
      isOne(now) &&
      loPaths.reaches(id) &&
      hiPaths.reaches(id)
    );
  }

  /** What changed in a node itself. What moved as well has been told of. */
  #ofNode(before: Node): Found | undefined {
    const { hi, loPaths, hiPaths } = this.#span;
    const after = hi.find(before.id);
    if (after === undefined) return undefined;
    const [from, path] = [loPaths.of(before.id), hiPaths.of(before.id)];
    if (from === undefined || path === undefined) return undefined;
    const [home, was] = [hiPaths.home(before.id), loPaths.home(before.id)];
    const moved =
      isOne(before) &&
      isOne(after) &&
      home !== undefined &&
      was !== undefined &&
      this.#span.lo.childOf(home.parent, home.name) !== before.id;
    return moved ? undefined : { kind: "modified", path, pathBefore: from, before, after };
  }

  #asked(found: Found): boolean {
    if (found.kind === "modified") {
      const [a, b] = [this.#before(found), this.#after(found)];
      if (a && b && samePermissions(a.node, b.node) && sameContent(a, b)) return false;
    }
    const below = this.#below;
    if (below === undefined) return true;
    return [found.path, found.from, found.pathBefore].some(
      (path) => path === below || path?.startsWith(`${below}/`),
    );
  }

  /** From the direction that was asked for. */
  #told(found: Found): Change {
    const [a, b] = [this.#before(found), this.#after(found)];
    const both = a !== undefined && b !== undefined;
    const content = both ? !sameKind(a.node, b.node) || !sameContent(a, b) : hasContent(a ?? b);
    const mode = both && !samePermissions(a.node, b.node);
    const [was, is] = this.#reversed ? [b, a] : [a, b];
    const before = found.from ?? found.pathBefore ?? found.path;
    const [path, old] = this.#reversed ? [before, found.path] : [found.path, before];
    const type = kindOf((is ?? was)?.node as Node);
    return {
      kind: this.#reversed ? (OPPOSITE[found.kind] ?? found.kind) : found.kind,
      path,
      ...(found.from === undefined ? {} : { from: old }),
      type,
      ...(both && was ? { typeBefore: kindOf(was.node) } : {}),
      content,
      mode,
      sizeBefore: was?.node.size,
      size: is?.node.size,
      ...(this.#withPatch && content ? this.#patch(was, is, old, path) : {}),
    };
  }

  #patch(
    before: At | undefined,
    after: At | undefined,
    from: string,
    path: string,
  ): Pick<Change, "patch" | "noPatch"> {
    for (const side of [before, after]) {
      if (side === undefined) continue;
      if (kindOf(side.node) !== "file") return {};
      if (side.node.size > PATCH_BYTES) return { noPatch: "too large" };
    }
    const bytes = (side: At | undefined) => side && this.#heldOf(side).tree.content.read(side.node);
    return unifiedPatch({ path: from, bytes: bytes(before) }, { path, bytes: bytes(after) });
  }

  #heldOf({ store }: At): Held {
    return store === this.#lo.store ? this.#lo : this.#hi;
  }

  #before({ before }: Found): At | undefined {
    return before && { store: this.#span.lo, node: before };
  }

  #after({ after }: Found): At | undefined {
    return after && { store: this.#span.hi, node: after };
  }
}

/** A change in the direction of time. */
interface Found {
  readonly kind: Change["kind"];
  readonly path: string;
  readonly from?: string;
  /** Of what has not moved itself, but perhaps with its folder. */
  readonly pathBefore?: string;
  readonly before?: Node;
  readonly after?: Node;
}

const OPPOSITE: Partial<Record<Change["kind"], Change["kind"]>> = { added: "removed", removed: "added" };

/** Whether a node has one name, so that this can move. */
function isOne(node: Node): boolean {
  return isDirectory(node.mode) || node.nlink === 1;
}

function hasContent(side: At | undefined): boolean {
  return side !== undefined && !isDirectory(side.node.mode);
}
