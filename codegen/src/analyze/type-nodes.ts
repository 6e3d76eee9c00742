import { ts } from "ts-morph";

/**
 * Types come from the checker; nodes, where a type was written out, add what the checker forgets: the
 * order of a union and the names of its aliases. A node is only ever a hint: {@link fits} says whether
 * it speaks of the same type.
 */

/** Whether the type written at a node is this type, `undefined` aside. */
export function fits(checker: ts.TypeChecker, type: ts.Type, node: ts.TypeNode): boolean {
  const written = checker.getTypeFromTypeNode(node);
  if (written === type) return true;
  const a = new Set(defined(type));
  const b = new Set(defined(written));
  return a.size === b.size && [...a].every((member) => b.has(member));
}

/** The members of a union, or the type itself, without `undefined` and `void`. */
export function defined(type: ts.Type): ts.Type[] {
  return membersOf(type).filter((member) => !isUndefined(member));
}

/** The members of a union, or the type itself. */
export function membersOf(type: ts.Type): ts.Type[] {
  return type.isUnion() ? type.types : [type];
}

export function isUndefined(type: ts.Type): boolean {
  return (type.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)) !== 0;
}

/** Takes parentheses and `readonly` off. */
export function unwrap(node: ts.TypeNode | undefined): ts.TypeNode | undefined {
  if (node && ts.isParenthesizedTypeNode(node)) return unwrap(node.type);
  if (node && ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.ReadonlyKeyword)
    return unwrap(node.type);
  return node;
}

/** The node of a type argument: `T` of `Array<T>`, `Promise<T>`; of `T[]` for number 0. */
export function argumentNode(node: ts.TypeNode | undefined, index: number): ts.TypeNode | undefined {
  const inner = unwrap(node);
  if (inner && ts.isArrayTypeNode(inner)) return index === 0 ? inner.elementType : undefined;
  if (inner && ts.isTypeReferenceNode(inner)) return inner.typeArguments?.[index];
  return undefined;
}

/** The node of a tuple's element, without its name, `?` and `...`. */
export function elementNode(node: ts.TypeNode | undefined, index: number): ts.TypeNode | undefined {
  const inner = unwrap(node);
  if (!inner || !ts.isTupleTypeNode(inner)) return undefined;
  const element = inner.elements[index];
  if (element && (ts.isNamedTupleMember(element) || ts.isOptionalTypeNode(element))) return element.type;
  return element && ts.isRestTypeNode(element) ? argumentNode(element.type, 0) : element;
}

/** The type node that a parameter or a property was declared with. */
export function declaredNode(declaration: ts.Declaration | undefined): ts.TypeNode | undefined {
  if (!declaration) return undefined;
  if (ts.isPropertySignature(declaration) || ts.isPropertyDeclaration(declaration)) return declaration.type;
  return ts.isParameter(declaration) ? declaration.type : undefined;
}
