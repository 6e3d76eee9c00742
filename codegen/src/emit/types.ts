import type { NamedType, PropertyModel, TypeModel } from "../model.ts";
import { propertyKey } from "../names.ts";
import { docComment, quote } from "./text.ts";

/** A type as TypeScript source. */
export function typeText(type: TypeModel, indent = ""): string {
  switch (type.kind) {
    case "json":
      return "unknown";
    case "void":
      return "void";
    case "date":
      return "Date";
    case "bytes":
      return "Uint8Array";
    case "literal":
      return typeof type.value === "string" ? quote(type.value) : String(type.value);
    case "ref":
      return type.name;
    case "array": {
      const items = typeText(type.items, indent);
      return `${type.readonly ? "readonly " : ""}${type.items.kind === "union" || isReadonly(type.items) ? `(${items})` : items}[]`;
    }
    case "tuple":
      return `${type.readonly ? "readonly " : ""}[${type.elements
        .map(({ type: element, optional, rest }) => {
          const text = typeText(element, indent);
          const closed = /^[\w."]+$/.test(text) || element.kind === "object" ? text : `(${text})`;
          return rest ? `...${closed}[]` : optional ? `${closed}?` : text;
        })
        .join(", ")}]`;
    case "union":
      return type.members.map((member) => unionMember(member, indent)).join(" | ");
    case "object":
      return objectText(type, indent);
    default:
      return type.kind;
  }
}

function isReadonly(type: TypeModel): boolean {
  return (type.kind === "array" || type.kind === "tuple") && type.readonly;
}

/** Inside a union, nothing is `undefined`: a promise of `X | void` would be asked about by linters. */
function unionMember(type: TypeModel, indent: string): string {
  return type.kind === "void" ? "undefined" : typeText(type, indent);
}

function objectText({ properties, values }: TypeModel & { kind: "object" }, indent: string): string {
  if (properties.length === 0)
    return values ? `Record<string, ${typeText(values, indent)}>` : "Record<string, never>";
  return `{\n${members(properties, values, `${indent}  `)}${indent}}`;
}

function members(
  properties: readonly PropertyModel[],
  values: TypeModel | undefined,
  indent: string,
): string {
  const lines = properties.map(
    ({ name, type, description, optional, readonly }) =>
      `${docComment(description, indent)}${indent}${readonly ? "readonly " : ""}${propertyKey(name)}${optional ? "?" : ""}: ${typeText(type, indent)};\n`,
  );
  if (values) {
    const kinds = values.kind === "json" ? "unknown" : typeText(values, indent);
    lines.push(
      `${indent}[key: string]: ${kinds}${properties.some(({ optional }) => optional) && kinds !== "unknown" ? " | undefined" : ""};\n`,
    );
  }
  return lines.join("");
}

/** The exported declaration of a named type. */
export function namedTypeText({ name, description, type }: NamedType): string {
  const doc = docComment(description);
  if (type.kind === "object" && type.properties.length > 0) {
    return `${doc}export interface ${name} {\n${members(type.properties, type.values, "  ")}}\n`;
  }
  const text = typeText(type);
  if (type.kind === "union" && text.length > 90) {
    return `${doc}export type ${name} =\n${type.members.map((member) => `  | ${unionMember(member, "  ")}`).join("\n")};\n`;
  }
  return `${doc}export type ${name} = ${text};\n`;
}
