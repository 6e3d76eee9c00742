import { ts } from "ts-morph";
import { type Context, isFrameworkSymbol, symbolOf } from "./context.ts";
import { literalOf } from "./literals.ts";

/** A marker's options as written, with the nodes to point at. */
export interface Marker {
  readonly decorator: ts.Decorator;
  readonly options: ReadonlyMap<string, { readonly value: string; readonly node: ts.Node }>;
}

/** The framework's decorator of that name on a declaration, by symbol: aliases and namespaces do not matter. */
export function findMarker(
  context: Context,
  node: ts.Node,
  name: "Agent" | "tool",
): ts.Decorator | undefined {
  if (!ts.canHaveDecorators(node)) return undefined;
  return ts.getDecorators(node)?.find((decorator) => {
    const callee = ts.isCallExpression(decorator.expression)
      ? decorator.expression.expression
      : decorator.expression;
    return isFrameworkSymbol(symbolOf(context.checker, callee), name);
  });
}

/** Reads `@Agent({ name: "..." })` from the source; what is no literal is reported and left out. */
export function readMarker(context: Context, decorator: ts.Decorator, known: readonly string[]): Marker {
  const options = new Map<string, { value: string; node: ts.Node }>();
  const call = decorator.expression;
  if (!ts.isCallExpression(call)) {
    const text = `@${call.getText()}`;
    context.report("CMP1014", decorator, `The marker \`${text}\` is not called.`, `Write \`${text}()\`.`);
    return { decorator, options };
  }
  const argument = call.arguments[0];
  if (argument === undefined) return { decorator, options };
  if (!ts.isObjectLiteralExpression(argument)) {
    context.report(
      "CMP1014",
      argument,
      `The options of \`@${call.expression.getText()}\` are not an object literal.`,
    );
    return { decorator, options };
  }
  for (const property of argument.properties) {
    const name =
      property.name && (ts.isIdentifier(property.name) || ts.isStringLiteral(property.name))
        ? property.name.text
        : undefined;
    if (name === undefined || !ts.isPropertyAssignment(property)) {
      context.report(
        "CMP1014",
        property,
        `The option \`${property.getText()}\` is not written as \`name: "literal"\`.`,
      );
    } else if (!known.includes(name)) {
      const list = known.map((each) => `\`${each}\``).join(", ");
      context.report(
        "CMP1014",
        property,
        `There is no option \`${name}\` here; known are ${list}.`,
        "Take it away.",
      );
    } else {
      const value = literalOf(context.checker, property.initializer);
      if (typeof value === "string") options.set(name, { value, node: property.initializer });
      else context.report("CMP1014", property.initializer, `The option \`${name}\` is not a string literal.`);
    }
  }
  return { decorator, options };
}
