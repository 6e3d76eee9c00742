import { ts } from "ts-morph";
import type { PropertyModel, TupleElement, TypeModel } from "../model.ts";
import type { Context } from "./context.ts";
import { descriptionOf } from "./docs.ts";
import { NamedTypes } from "./named-types.ts";
import {
  argumentNode,
  declaredNode,
  defined,
  elementNode,
  fits,
  isUndefined,
  membersOf,
  unwrap,
} from "./type-nodes.ts";
import { isGlobal, type Trail, trailText, unsupportedReason } from "./unsupported.ts";

/** How deep types may nest, and how many types one project may mention: beyond lies a type that grows without end. */
const MAX_DEPTH = 40;
const MAX_TYPES = 20_000;

/** A type, and whether `undefined` was one of its cases. */
export interface OptionalType {
  readonly type: TypeModel;
  readonly optional: boolean;
}

/** Reads the compiler's types into {@link TypeModel}s; what cannot cross the boundary is reported. */
export class TypeReader {
  readonly named: NamedTypes;
  readonly #context: Context;
  readonly #checker: ts.TypeChecker;
  readonly #reported = new Set<string>();
  #count = 0;

  constructor(context: Context) {
    this.#context = context;
    this.#checker = context.checker;
    this.named = new NamedTypes(context);
  }

  /** Reads a type whose `undefined` means that the value may be left out. */
  readOptional(type: ts.Type, node: ts.TypeNode | undefined, trail: Trail): OptionalType {
    const optional = membersOf(type).some(isUndefined);
    if (!optional) return { type: this.read(type, node, trail), optional };
    const rest = defined(type);
    if (rest.length === 0) return { type: { kind: "never" }, optional };
    const hint = this.#hint(type, node);
    const written = hint && this.#checker.getTypeFromTypeNode(hint);
    if (written && !membersOf(written).some(isUndefined))
      return { type: this.read(written, hint, trail), optional };
    return { type: this.#union(rest, hint, trail), optional };
  }

  /** Reads a type in which `undefined` has no place. */
  read(type: ts.Type, node: ts.TypeNode | undefined, trail: Trail): TypeModel {
    if (++this.#count > MAX_TYPES || trail.path.length > MAX_DEPTH) return this.#endless(trail);
    if (membersOf(type).some(isUndefined)) {
      return this.#unsupported("`undefined` has no place here, JSON has no such value", trail, "Use `null`.");
    }
    const hint = this.#hint(type, node);
    return this.#read(hint ? this.#checker.getTypeFromTypeNode(hint) : type, hint, trail);
  }

  /** Reported once for a parameter: the ways into such a type are without number. */
  #endless({ owner, parameter, node }: Trail): TypeModel {
    const text = trailText({ owner, path: [], node, ...(parameter === undefined ? {} : { parameter }) });
    if (!this.#reported.has(text)) {
      this.#reported.add(text);
      this.#context.report("CMP1052", node, `The type of \`${text}\` nests too deep or never ends.`);
    }
    return { kind: "json" };
  }

  #hint(type: ts.Type, node: ts.TypeNode | undefined): ts.TypeNode | undefined {
    const inner = unwrap(node);
    return inner && fits(this.#checker, type, inner) ? inner : undefined;
  }

  #read(type: ts.Type, node: ts.TypeNode | undefined, trail: Trail): TypeModel {
    const { flags } = type;
    if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return { kind: "json" };
    if (flags & ts.TypeFlags.Null) return { kind: "null" };
    if (flags & ts.TypeFlags.Never) return { kind: "never" };
    if (type.symbol && type.symbol.flags & ts.SymbolFlags.Enum && flags & ts.TypeFlags.EnumLike)
      return this.#enum(type, trail);
    if (flags & ts.TypeFlags.Boolean) return { kind: "boolean" };
    if (flags & ts.TypeFlags.BooleanLiteral)
      return { kind: "literal", value: this.#checker.typeToString(type) === "true" };
    if (type.isStringLiteral() || type.isNumberLiteral()) return { kind: "literal", value: type.value };
    if (flags & ts.TypeFlags.String) return { kind: "string" };
    if (flags & ts.TypeFlags.Number) return { kind: "number" };
    if (type.isUnion()) return this.#named(type, trail) ?? this.#union(type.types, node, trail);
    if (type.isIntersection()) return this.#intersection(type, trail);
    const reason = unsupportedReason(this.#context, type);
    if (reason) return this.#unsupported(reason.why, trail, reason.mend);
    return this.#object(type as ts.ObjectType, node, trail);
  }

  /** `string & { [brand]: ... }` crosses as the string that it is. */
  #intersection(type: ts.IntersectionType, trail: Trail): TypeModel {
    const primitive = type.types.find(
      (member) =>
        member.flags & (ts.TypeFlags.StringLike | ts.TypeFlags.NumberLike | ts.TypeFlags.BooleanLike),
    );
    if (primitive) return this.#read(primitive, undefined, trail);
    const broken = type.types
      .map((member) => unsupportedReason(this.#context, member))
      .find((reason) => reason);
    if (broken) return this.#unsupported(broken.why, trail, broken.mend);
    return this.#named(type, trail) ?? this.#members(type, trail);
  }

  #object(type: ts.ObjectType, node: ts.TypeNode | undefined, trail: Trail): TypeModel {
    const checker = this.#checker;
    const name = type.symbol && isGlobal(this.#context, type.symbol) ? type.symbol.name : undefined;
    if (name === "Date") return { kind: "date" };
    if (name === "Uint8Array") return { kind: "bytes" };
    if (checker.isArrayType(type)) {
      const [items] = checker.getTypeArguments(type as ts.TypeReference);
      if (!items) return { kind: "array", items: { kind: "json" }, readonly: false };
      return {
        kind: "array",
        items: this.read(items, argumentNode(node, 0), step(trail, "[]")),
        readonly: name === "ReadonlyArray",
      };
    }
    if (checker.isTupleType(type)) return this.#tuple(type as ts.TupleTypeReference, node, trail);
    return this.#named(type, trail) ?? this.#members(type, trail, argumentNode(node, 1));
  }

  #tuple(type: ts.TupleTypeReference, node: ts.TypeNode | undefined, trail: Trail): TypeModel {
    const { elementFlags, readonly } = type.target;
    const elements: TupleElement[] = [];
    for (const [index, element] of this.#checker.getTypeArguments(type).entries()) {
      const flags = elementFlags[index] ?? ts.ElementFlags.Required;
      const rest = (flags & ts.ElementFlags.Variable) !== 0;
      if (rest && index < elementFlags.length - 1) {
        return this.#unsupported(
          "a tuple with `...` before its end has no schema",
          trail,
          "Put the `...` last.",
        );
      }
      const read = this.readOptional(element, elementNode(node, index), step(trail, `[${index}]`));
      const optional = (flags & ts.ElementFlags.Optional) !== 0;
      if (read.optional && !optional) {
        return this.#unsupported(
          "`undefined` has no place in a tuple, JSON has no such value",
          trail,
          "Use `null`.",
        );
      }
      elements.push({ type: read.type, optional, rest });
    }
    return { kind: "tuple", elements, readonly };
  }

  /** Properties and index signature of an object type. */
  #members(type: ts.Type, trail: Trail, valuesNode?: ts.TypeNode): TypeModel {
    const properties: PropertyModel[] = [];
    for (const property of this.#checker.getPropertiesOfType(type)) {
      const read = this.#property(property, trail);
      if (read) properties.push(read);
    }
    let values: TypeModel | undefined;
    for (const info of this.#checker.getIndexInfosOfType(type)) {
      const at = step(trail, "[key]");
      if (!(info.keyType.flags & ts.TypeFlags.String)) {
        this.#unsupported(
          `keys of type \`${this.#checker.typeToString(info.keyType)}\` have no schema`,
          at,
          "Use `string` keys.",
        );
        continue;
      }
      values = this.readOptional(info.type, info.declaration?.type ?? valuesNode, at).type;
    }
    return { kind: "object", properties, ...(values ? { values } : {}) };
  }

  #property(property: ts.Symbol, trail: Trail): PropertyModel | undefined {
    const name = ts.symbolName(property);
    const at = step(trail, `.${name}`);
    if (name.startsWith("__@")) {
      this.#unsupported("a property named by a symbol cannot cross the boundary", step(trail, "[symbol]"));
      return undefined;
    }
    if (name === "__proto__") {
      this.#context.report(
        "CMP1042",
        trail.node,
        `\`${trailText(at)}\` is called \`__proto__\`, which no object can safely have.`,
      );
      return undefined;
    }
    const declaration = property.valueDeclaration ?? property.declarations?.[0];
    const { type, optional } = this.readOptional(
      this.#checker.getTypeOfSymbol(property),
      declaredNode(declaration),
      at,
    );
    const description = descriptionOf(this.#checker, property);
    return {
      name,
      ...(description === undefined ? {} : { description }),
      type,
      optional: optional || (property.flags & ts.SymbolFlags.Optional) !== 0,
      readonly:
        declaration !== undefined &&
        (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Readonly) !== 0,
    };
  }

  #union(types: readonly ts.Type[], node: ts.TypeNode | undefined, trail: Trail): TypeModel {
    const inner = unwrap(node);
    const members =
      inner && ts.isUnionTypeNode(inner)
        ? inner.types.map(
            (each) => this.readOptional(this.#checker.getTypeFromTypeNode(each), each, trail).type,
          )
        : this.#unordered(types, trail);
    return unionOf(members);
  }

  /** Without a node there is no order to keep: the checker's own is an accident, so they are sorted. */
  #unordered(types: readonly ts.Type[], trail: Trail): TypeModel[] {
    const rest = new Set(types);
    const members: TypeModel[] = [];
    for (const type of types) {
      const parent = enumOf(this.#checker, type);
      if (!parent || !membersOf(parent).every((member) => rest.has(member))) continue;
      for (const member of membersOf(parent)) rest.delete(member);
      members.push(this.#read(parent, undefined, trail));
    }
    for (const type of rest) members.push(this.read(type, undefined, trail));
    return members
      .map((type) => [sortKey(type), type] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, type]) => type);
  }

  #enum(type: ts.Type, trail: Trail): TypeModel {
    const members = membersOf(type);
    if (!members.every((member) => member.isStringLiteral() || member.isNumberLiteral())) {
      return this.#unsupported(
        `the enum \`${type.symbol.name}\` has members without a constant value`,
        trail,
        "Give each member a value.",
      );
    }
    return this.named.refer(type, type.symbol, () =>
      unionOf(
        (type.symbol.declarations ?? [])
          .flatMap((declaration) => (ts.isEnumDeclaration(declaration) ? [...declaration.members] : []))
          .map((member) => ({ kind: "literal", value: this.#checker.getConstantValue(member) ?? "" })),
      ),
    );
  }

  /** A reference, if the type has a name of its own in the project or in a package. */
  #named(type: ts.Type, trail: Trail): TypeModel | undefined {
    const symbol = this.named.symbolFor(type);
    if (!symbol) return undefined;
    const declaration = symbol.declarations?.find(ts.isTypeAliasDeclaration);
    const node = declaration && !declaration.typeParameters ? declaration.type : undefined;
    return this.named.refer(type, symbol, () =>
      type.isUnion()
        ? this.#union(type.types, node, trail)
        : this.#members(type, trail, argumentNode(node, 1)),
    );
  }

  #unsupported(why: string, trail: Trail, mend?: string): TypeModel {
    this.#context.report("CMP1050", trail.node, `\`${trailText(trail)}\`: ${why}.`, mend);
    return { kind: "json" };
  }
}

function step(trail: Trail, to: string): Trail {
  return { ...trail, path: [...trail.path, to] };
}

/** The enum that a member's type belongs to. */
function enumOf(checker: ts.TypeChecker, type: ts.Type): ts.Type | undefined {
  if (
    !(type.flags & ts.TypeFlags.EnumLiteral) ||
    !type.symbol ||
    !(type.symbol.flags & ts.SymbolFlags.EnumMember)
  )
    return undefined;
  const declaration = type.symbol.valueDeclaration?.parent;
  const symbol =
    declaration && ts.isEnumDeclaration(declaration)
      ? checker.getSymbolAtLocation(declaration.name)
      : undefined;
  return symbol && checker.getDeclaredTypeOfSymbol(symbol);
}

/** Literals in order, other kinds before them, `null` last. */
function sortKey(type: TypeModel): string {
  if (type.kind === "null") return "3";
  if (type.kind !== "literal") return `1${JSON.stringify(type)}`;
  const { value } = type;
  return typeof value === "number" ? `20${String(value + 2 ** 53).padStart(24, "0")}` : `21${String(value)}`;
}

/** A union without doubles; `true | false` is `boolean`; one member is no union. */
export function unionOf(members: readonly TypeModel[]): TypeModel {
  const flat = members.flatMap((member) => (member.kind === "union" ? member.members : [member]));
  const isBoolean = (value: boolean) => flat.some((each) => each.kind === "literal" && each.value === value);
  const both = isBoolean(true) && isBoolean(false);
  const distinct = new Map<string, TypeModel>();
  for (const member of flat) {
    const merged: TypeModel =
      both && member.kind === "literal" && typeof member.value === "boolean" ? { kind: "boolean" } : member;
    if (merged.kind === "json") return merged;
    if (merged.kind !== "never") distinct.set(JSON.stringify(merged), merged);
  }
  const [first, ...others] = distinct.values();
  if (!first) return { kind: "never" };
  return others.length === 0 ? first : { kind: "union", members: [first, ...others] };
}
