import { ts } from "ts-morph";
import type { Json } from "../model.ts";

/**
 * The value of an expression that is written as a literal: strings, numbers, `true`, `false`, `null`,
 * arrays and objects of these, and members of enums. Undefined for everything else.
 */
export function literalOf(checker: ts.TypeChecker, node: ts.Expression): Json | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (node.kind === ts.SyntaxKind.TrueKeyword) return true;
  if (node.kind === ts.SyntaxKind.FalseKeyword) return false;
  if (node.kind === ts.SyntaxKind.NullKeyword) return null;
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) {
    return literalOf(checker, node.expression);
  }
  if (ts.isPrefixUnaryExpression(node)) {
    const value = literalOf(checker, node.operand);
    if (typeof value !== "number") return undefined;
    if (node.operator === ts.SyntaxKind.MinusToken) return -value;
    return node.operator === ts.SyntaxKind.PlusToken ? value : undefined;
  }
  if (ts.isArrayLiteralExpression(node)) {
    const items = node.elements.map((element) => literalOf(checker, element));
    return items.every((item) => item !== undefined) ? items : undefined;
  }
  if (ts.isObjectLiteralExpression(node)) return objectLiteral(checker, node);
  if (ts.isPropertyAccessExpression(node)) return checker.getConstantValue(node);
  return undefined;
}

function objectLiteral(checker: ts.TypeChecker, node: ts.ObjectLiteralExpression): Json | undefined {
  const entries: [string, Json][] = [];
  for (const property of node.properties) {
    if (!ts.isPropertyAssignment(property)) return undefined;
    if (!ts.isIdentifier(property.name) && !ts.isStringLiteral(property.name)) return undefined;
    const value = literalOf(checker, property.initializer);
    if (value === undefined) return undefined;
    entries.push([property.name.text, value]);
  }
  return Object.fromEntries(entries);
}
