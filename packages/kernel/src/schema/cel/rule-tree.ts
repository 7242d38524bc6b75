import type { StructuralSchema } from '@chandlery/api';
import { type CompiledRule, compileRule, type RuleProblem } from './compiled-rule.ts';
import type { ExpressionDeps } from './expression.ts';
import { createEnvironment } from './functions/index.ts';
import { Meter, type MeterOptions } from './meter.ts';
import { rulesOf } from './rule.ts';
import { type DeclaredType, TypeDeclarations } from './types.ts';

/** The places of a schema at which, or below which, there are rules. */
export interface RuleTree {
  readonly schema: StructuralSchema;
  readonly rules: readonly CompiledRule[];
  readonly type: DeclaredType;
  readonly fields: ReadonlyMap<string, RuleTree>;
  /** Of `additionalProperties`. */
  readonly other: RuleTree | undefined;
  readonly items: RuleTree | undefined;
  /** What an old item is found by; undefined when it cannot be. */
  readonly itemKeys: readonly string[] | undefined;
}

/** A rule, or part of one, that could not be compiled. */
export interface PlacedProblem extends RuleProblem {
  readonly schema: StructuralSchema;
  readonly index: number;
}

export interface RuleForest {
  readonly root: RuleTree;
  readonly meter: Meter;
  readonly problems: readonly PlacedProblem[];
}

/** True when the schema, or any below it, has rules. */
export function hasRules(schema: StructuralSchema): boolean {
  if (rulesOf(schema).length > 0) return true;
  const { properties = {}, additionalProperties, items } = schema;
  if (items !== undefined && hasRules(items)) return true;
  if (typeof additionalProperties === 'object' && hasRules(additionalProperties)) return true;
  return Object.values(properties).some(hasRules);
}

/** Compiles all rules of a whole object's schema; undefined when there are none. */
export function compileRuleTree(schema: StructuralSchema, limits: MeterOptions = {}): RuleForest | undefined {
  if (!hasRules(schema)) return undefined;
  const meter = new Meter(limits);
  const { environment, patterns } = createEnvironment(meter);
  const problems: PlacedProblem[] = [];
  const plant: Plant = { deps: { environment, patterns, meter }, types: new TypeDeclarations(environment), problems };
  const root = compileTree(schema, plant, true);
  return root && { root, meter, problems };
}

interface Plant {
  readonly deps: ExpressionDeps;
  readonly types: TypeDeclarations;
  readonly problems: PlacedProblem[];
}

const anything: DeclaredType = { name: 'dyn', convert: value => value };

function compileTree(schema: StructuralSchema, plant: Plant, isRoot = false): RuleTree | undefined {
  const declared = rulesOf(schema);
  const type = declared.length === 0 ? anything : (plant.types.declare(schema, isRoot) ?? anything);
  const rules = declared.flatMap((rule, index) => {
    const outcome = compileRule(rule, type, schema, plant.deps);
    if (outcome.type === 'compiled') return [outcome.rule];
    plant.problems.push({ ...outcome.problem, schema, index });
    return [];
  });
  const below = compileBelow(schema, plant);
  const isEmpty = rules.length + below.fields.size === 0 && below.other === undefined && below.items === undefined;
  return isEmpty && !isRoot ? undefined : { schema, rules, type, ...below };
}

function compileBelow(
  schema: StructuralSchema,
  plant: Plant,
): Pick<RuleTree, 'fields' | 'other' | 'items' | 'itemKeys'> {
  const { properties = {}, additionalProperties, items } = schema;
  const fields = Object.entries(properties).flatMap(([name, property]) => {
    const tree = compileTree(property, plant);
    return tree === undefined ? [] : [[name, tree] as const];
  });
  return {
    fields: new Map(fields),
    other: typeof additionalProperties === 'object' ? compileTree(additionalProperties, plant) : undefined,
    items: items && compileTree(items, plant),
    itemKeys: schema['x-kubernetes-list-type'] === 'map' ? schema['x-kubernetes-list-map-keys'] : undefined,
  };
}
