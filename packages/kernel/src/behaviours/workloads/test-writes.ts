import assert from 'node:assert/strict';
import { builtInKinds, type ErrorCause, type KubeObject } from '@chandlery/api';
import { CompiledKind } from '../../registry/compiled-kind.ts';
import { ValidatorCache } from '../../schema/index.ts';
import type { Behaviour, BehaviourContext } from '../behaviour.ts';
import { workloadBehaviours } from './index.ts';

const validators = new ValidatorCache();
const behaviours = new Map<string, Behaviour>(workloadBehaviours);

/** The moment at which all writes of these tests happen. */
export const now = '2026-01-02T03:04:05Z';

/** The UID of every object in these tests. */
export const uid = '00000000-0000-4000-8000-000000000001';

// These behaviours look at the moment only; whatever else they may look at one day must fail loudly.
/** On a cluster that has a node. */
const store = { list: async () => ({ items: [{}] }) };
const context = { now, deps: { store }, target: { cluster: 'c' } } as unknown as BehaviourContext;

/** What a write leads to: the object as it would be stored, and what is wrong with it, as `field: message`. */
export interface Outcome<T extends KubeObject = KubeObject> {
  readonly object: T;
  readonly problems: readonly string[];
}

function partsOf(resource: string): { kind: CompiledKind; behaviour: Behaviour } {
  const declaration = builtInKinds.find(({ group, plural }) => `${group}/${plural}` === resource);
  const behaviour = behaviours.get(resource);
  assert.ok(declaration !== undefined && behaviour !== undefined, `${resource} has a kind and a behaviour`);
  return { kind: new CompiledKind(declaration, validators), behaviour };
}

const texts = (causes: readonly ErrorCause[]): string[] => causes.map(({ field, message }) => `${field}: ${message}`);

/** Creates an object as the kernel does: defaults, schema, behaviour. */
export async function created<T extends KubeObject>(
  resource: string,
  fields: Record<string, unknown>,
  metadata: KubeObject['metadata'] = {},
): Promise<Outcome<T>> {
  const { kind, behaviour } = partsOf(resource);
  const { storageVersion: version } = kind;
  const object: KubeObject = {
    apiVersion: version.apiVersion,
    kind: kind.kind,
    metadata: { name: 'x', namespace: 'default', uid, ...metadata },
    ...structuredClone(fields),
  };
  version.applyDefaults(object);
  const wrong = version.validate(object);
  if (wrong.length > 0) return { object: object as T, problems: texts(wrong) };
  await behaviour.prepareCreate?.(object, context);
  const causes = [...version.validate(object), ...(behaviour.validate?.(object, context) ?? [])];
  return { object: object as T, problems: texts(causes) };
}

/** Updates an object as the kernel does; `change` gets a copy of the live one. */
export async function updated<T extends KubeObject>(
  resource: string,
  live: T,
  change: (object: T) => void,
): Promise<Outcome<T>> {
  const { kind, behaviour } = partsOf(resource);
  const { storageVersion: version } = kind;
  const object = structuredClone(live);
  change(object);
  version.applyDefaults(object);
  const wrong = version.validate(object);
  if (wrong.length > 0) return { object, problems: texts(wrong) };
  await behaviour.prepareUpdate?.(object, live, context);
  const causes = [...version.validate(object), ...(behaviour.validate?.(object, context) ?? [])];
  if (causes.length === 0) causes.push(...(behaviour.validateUpdate?.(object, live, context) ?? []));
  return { object, problems: texts(causes) };
}

/** One row of a table: a spec and the problems that it has. */
export interface Case {
  readonly why: string;
  readonly spec: Record<string, unknown>;
  /** Default none. */
  readonly problems?: readonly string[];
}
