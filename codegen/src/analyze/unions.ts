import type { NamedType, TypeModel } from "../model.ts";

type Types = Readonly<Record<string, NamedType>>;

/** Follows references until something that is none. */
export function dereference(type: TypeModel, types: Types): TypeModel {
  let current = type;
  for (let hops = 0; current.kind === "ref" && hops < 100; hops++) {
    current = types[current.name]?.type ?? { kind: "json" };
  }
  return current;
}

/**
 * The property that tells the members of a union of objects apart: required in each, its type string
 * literals that no two members share. `kind` of `{ kind: "circle"; ... } | { kind: "square"; ... }`.
 */
export function discriminatorOf(members: readonly TypeModel[], types: Types): string | undefined {
  const objects = members.map((member) => dereference(member, types));
  const [first] = objects;
  if (first?.kind !== "object") return undefined;
  return first.properties.find(({ name }) => {
    const tags = new Set<string>();
    return objects.every((object) => {
      const property =
        object.kind === "object"
          ? object.properties.find((each) => each.name === name && !each.optional)
          : undefined;
      const values = property && stringLiterals(property.type, types);
      const before = tags.size;
      for (const value of values ?? []) tags.add(value);
      return values !== undefined && tags.size === before + values.length;
    });
  })?.name;
}

/** The strings that a type allows, if it allows nothing else. */
export function stringLiterals(type: TypeModel, types: Types): string[] | undefined {
  const inner = dereference(type, types);
  if (inner.kind === "literal") return typeof inner.value === "string" ? [inner.value] : undefined;
  if (inner.kind !== "union") return undefined;
  const all = inner.members.map((member) => stringLiterals(member, types));
  return all.every((each) => each !== undefined) ? all.flat() : undefined;
}

/** How a type looks in JSON text, where that is a string: a plain one, a date's, or bytes'. */
function stringForm(type: TypeModel): "string" | "date" | "bytes" | undefined {
  if (type.kind === "date" || type.kind === "bytes") return type.kind;
  if (type.kind === "string" || (type.kind === "literal" && typeof type.value === "string")) return "string";
  return undefined;
}

/**
 * Whether two members of a union, though different here, may be the same JSON: a date and a string, or
 * two objects that differ in nothing but that. Returns what is ambiguous, for a message.
 */
export function ambiguity(members: readonly TypeModel[], types: Types): string | undefined {
  const flat = flatten(members, types);
  for (const [index, a] of flat.entries()) {
    for (const b of flat.slice(index + 1)) {
      const found = pairAmbiguity(a, b, types);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function flatten(members: readonly TypeModel[], types: Types, depth = 0): TypeModel[] {
  return members.flatMap((member) => {
    const inner = dereference(member, types);
    return inner.kind === "union" && depth < 20 ? flatten(inner.members, types, depth + 1) : [inner];
  });
}

function pairAmbiguity(a: TypeModel, b: TypeModel, types: Types): string | undefined {
  const forms = [stringForm(a), stringForm(b)];
  if (forms[0] && forms[1])
    return forms[0] === forms[1] ? undefined : `a ${words(forms[0])} and a ${words(forms[1])}`;
  if (a.kind === "array" && b.kind === "array")
    return pairAmbiguity(dereference(a.items, types), dereference(b.items, types), types);
  if (a.kind !== "object" || b.kind !== "object") return undefined;
  if (discriminatorOf([a, b], types) !== undefined) return undefined;
  for (const { name, type } of a.properties) {
    const other = b.properties.find((each) => each.name === name);
    const left = stringForm(dereference(type, types));
    const right = other && stringForm(dereference(other.type, types));
    if (left && right && left !== right) return `a ${words(left)} and a ${words(right)} in \`${name}\``;
  }
  return undefined;
}

function words(form: "string" | "date" | "bytes"): string {
  return form === "date" ? "`Date`" : form === "bytes" ? "`Uint8Array`" : "string";
}
