import { type ErrorCause, fieldCause, type StructuralSchema } from '@chandlery/api';
import { tidyCauses } from '../findings.ts';
import { checkRuleShape, rulesOf } from './rule.ts';
import { compileRuleTree, hasRules, type PlacedProblem } from './rule-tree.ts';

/** What keeps rules from being accepted, and those that are accepted but not evaluated. */
export interface RuleCheck {
  readonly causes: readonly ErrorCause[];
  readonly warnings: readonly string[];
}

const nothing: RuleCheck = { causes: [], warnings: [] };

/** Checks the rules of a structural schema of a whole object; `path` is where the schema stands. */
export function checkRules(schema: StructuralSchema, path: string): RuleCheck {
  if (!hasRules(schema)) return nothing;
  const places = new Map<StructuralSchema, Place>();
  collectPlaces(schema, { path, within: undefined }, places);
  const shape = [...places].flatMap(([node, place]) => shapeCauses(node, place));
  if (shape.length > 0) return { causes: tidyCauses(shape), warnings: [] };
  if (lengthOf(places.keys()) > maxRulesLength) {
    const causes = [fieldCause.forbidden(path, `must not have rules of more than ${maxRulesLength} characters`)];
    return { causes, warnings: [] };
  }
  const forest = compileRuleTree(schema);
  if (forest === undefined) return nothing;
  const wrong = forest.problems.filter(({ error }) => error.reason === 'invalid');
  const lacking = forest.problems.filter(({ error }) => error.reason === 'lacking');
  const causes = [...wrong.map(problem => problemCause(problem, places)), ...transitionCauses(forest.root, places)];
  return { causes: tidyCauses(causes), warnings: lacking.map(problem => lackingWarning(problem, places)) };
}

/** More than any honest schema has; compiling them must not keep others waiting. */
const maxRulesLength = 200_000;

const lengthOf = (schemas: Iterable<StructuralSchema>): number =>
  [...schemas]
    .flatMap(rulesOf)
    .reduce((sum, { rule, messageExpression = '' }) => sum + rule.length + messageExpression.length, 0);

interface Place {
  readonly path: string;
  /** The nearest list around whose items have no old selves. */
  readonly within: string | undefined;
}

function collectPlaces(schema: StructuralSchema, place: Place, places: Map<StructuralSchema, Place>): void {
  const { path, within } = place;
  const { properties = {}, additionalProperties, items } = schema;
  if (rulesOf(schema).length > 0) places.set(schema, place);
  for (const [name, property] of Object.entries(properties)) {
    collectPlaces(property, { path: `${path}.properties[${name}]`, within }, places);
  }
  if (typeof additionalProperties === 'object') {
    collectPlaces(additionalProperties, { path: `${path}.additionalProperties`, within }, places);
  }
  if (items === undefined) return;
  const isCorrelatable = schema['x-kubernetes-list-type'] === 'map';
  collectPlaces(items, { path: `${path}.items`, within: isCorrelatable ? within : (within ?? path) }, places);
}

const rulePath = (place: Place | undefined, index: number): string =>
  `${place?.path ?? ''}.x-kubernetes-validations[${index}]`;

const shapeCauses = (schema: StructuralSchema, place: Place): ErrorCause[] =>
  rulesOf(schema).flatMap((rule, index) => checkRuleShape(rule, schema, rulePath(place, index)));

function problemCause(
  { schema, index, field, error }: PlacedProblem,
  places: ReadonlyMap<StructuralSchema, Place>,
): ErrorCause {
  return fieldCause.invalid(
    `${rulePath(places.get(schema), index)}.${field}`,
    rulesOf(schema)[index]?.[field],
    error.message,
  );
}

function lackingWarning(
  { schema, index, field, error }: PlacedProblem,
  places: ReadonlyMap<StructuralSchema, Place>,
): string {
  const place = `${rulePath(places.get(schema), index)}.${field}`;
  return `${place}: this rule is kept but not evaluated, since this server does not know ${error.message}`;
}

type Tree = NonNullable<ReturnType<typeof compileRuleTree>>['root'];

/** Uses of `oldSelf` where no old value can be found. */
function transitionCauses(tree: Tree, places: ReadonlyMap<StructuralSchema, Place>): ErrorCause[] {
  const place = places.get(tree.schema);
  const here = tree.rules.flatMap(({ declared, isTransition }) => {
    if (!isTransition || place?.within === undefined) return [];
    const index = rulesOf(tree.schema).indexOf(declared);
    const hint = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.within}`;
    return [fieldCause.invalid(`${rulePath(place, index)}.rule`, declared.rule, hint)];
  });
  const below = [...tree.fields.values(), tree.other, tree.items].filter(child => child !== undefined);
  return [...here, ...below.flatMap(child => transitionCauses(child, places))];
}
