import { ts } from "ts-morph";
import { compare } from "../diagnostics/diagnostic.ts";
import type { NamedType, TypeModel } from "../model.ts";
import { pascalCase, uniqueNames } from "../names.ts";
import { type Context, projectPath } from "./context.ts";
import { descriptionOf } from "./docs.ts";
import { isGlobal } from "./unsupported.ts";

interface Entry {
  readonly id: string;
  readonly wish: string;
  readonly file: string;
  readonly position: number;
  readonly description: string | undefined;
  type: TypeModel;
}

/**
 * The types with a name. While types are read a reference carries an id; at the end each id gets a name
 * that does not depend on the order of reading.
 */
export class NamedTypes {
  readonly #context: Context;
  readonly #entries = new Map<ts.Type, Entry>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** The symbol that names a type: its alias, or its interface; none for what the platform's library names. */
  symbolFor(type: ts.Type): ts.Symbol | undefined {
    if (type.aliasSymbol) return isGlobal(this.#context, type.aliasSymbol) ? undefined : type.aliasSymbol;
    const { symbol } = type;
    return symbol && symbol.flags & ts.SymbolFlags.Interface && !isGlobal(this.#context, symbol)
      ? symbol
      : undefined;
  }

  /** A reference to the type, whose body is read on first sight. */
  refer(type: ts.Type, symbol: ts.Symbol, read: () => TypeModel): TypeModel {
    const known = this.#entries.get(type);
    if (known) return { kind: "ref", name: known.id };
    const declaration = symbol.declarations?.[0];
    const entry: Entry = {
      id: `#${this.#entries.size}`,
      wish: this.#label(type, symbol, 0),
      file: declaration ? projectPath(this.#context.projectDir, declaration.getSourceFile().fileName) : "",
      position: declaration?.pos ?? 0,
      description: descriptionOf(this.#context.checker, symbol),
      type: { kind: "json" },
    };
    this.#entries.set(type, entry);
    entry.type = read();
    return { kind: "ref", name: entry.id };
  }

  /**
   * Gives every type its name. A wish that only one type has, and that is not taken, is granted; where two
   * types wish the same, each gets its file's name in front; what is still the same is numbered.
   */
  names(taken: Iterable<string>): Map<string, string> {
    const reserved = new Set(taken);
    const entries = [...this.#entries.values()].sort(
      (a, b) =>
        compare(a.file, b.file) || a.position - b.position || compare(a.wish, b.wish) || compare(a.id, b.id),
    );
    const wishes = new Map<string, number>();
    for (const { wish } of entries) wishes.set(wish, (wishes.get(wish) ?? 0) + 1);
    const alone = entries.filter(({ wish }) => wishes.get(wish) === 1 && !reserved.has(wish));
    const unique = uniqueNames([...reserved, ...alone.map(({ wish }) => wish)]);
    const names = new Map<string, string>();
    for (const entry of entries)
      names.set(entry.id, alone.includes(entry) ? entry.wish : unique(qualified(entry)));
    return names;
  }

  /** All types under their names, in order of name. */
  types(
    names: ReadonlyMap<string, string>,
    resolve: (type: TypeModel) => TypeModel,
  ): Record<string, NamedType> {
    const named = [...this.#entries.values()].map(({ id, description, type }): [string, NamedType] => {
      const name = names.get(id) ?? id;
      return [name, { name, ...(description === undefined ? {} : { description }), type: resolve(type) }];
    });
    return Object.fromEntries(named.sort(([a], [b]) => compare(a, b)));
  }

  /** `Page<WordCount>` -> `PageOfWordCount`. */
  #label(type: ts.Type, symbol: ts.Symbol, depth: number): string {
    const base = symbol.name === "default" || symbol.name.startsWith("__") ? "Value" : symbol.name;
    const args = type.aliasSymbol === symbol ? type.aliasTypeArguments : this.#typeArguments(type);
    if (!args || args.length === 0 || depth > 3) return base;
    return `${base}Of${args.map((argument) => this.#argumentLabel(argument, depth + 1)).join("And")}`;
  }

  #typeArguments(type: ts.Type): readonly ts.Type[] {
    const { target } = type as ts.TypeReference;
    if (!target?.typeParameters) return [];
    return this.#context.checker
      .getTypeArguments(type as ts.TypeReference)
      .slice(0, target.typeParameters.length);
  }

  #argumentLabel(type: ts.Type, depth: number): string {
    const { checker } = this.#context;
    if (checker.isArrayType(type)) {
      const [items] = checker.getTypeArguments(type as ts.TypeReference);
      return `${items ? this.#argumentLabel(items, depth) : ""}List`;
    }
    const symbol = type.aliasSymbol ?? type.symbol;
    if (symbol && !symbol.name.startsWith("__")) return this.#label(type, symbol, depth);
    return (
      pascalCase(
        checker
          .typeToString(type)
          .slice(0, 30)
          .replace(/[^\p{L}\p{N}]+/gu, "-"),
      ) || "Value"
    );
  }
}

function qualified({ file, wish }: Entry): string {
  const stem =
    file
      .split("/")
      .pop()
      ?.replace(/\.d\.ts$|\.[^.]+$/, "") ?? "";
  const prefix = pascalCase(stem.replace(/[^\p{L}\p{N}]+/gu, "-"));
  return /^\p{L}/u.test(prefix) ? `${prefix}${wish}` : wish;
}
