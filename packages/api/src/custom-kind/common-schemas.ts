import { Type } from 'typebox';

const conditionSchema = Type.Object({
  type: Type.String({ minLength: 1, description: 'What the condition is about.' }),
  status: Type.Enum(['True', 'False', 'Unknown'], { description: 'Whether it holds.' }),
  reason: Type.Optional(Type.String({ description: 'Why, in one CamelCase word.' })),
  message: Type.Optional(Type.String({ description: 'Why, in a sentence that says where to look next.' })),
  lastTransitionTime: Type.Optional(Type.String({ format: 'date-time', description: 'When the status changed last.' })),
  observedGeneration: Type.Optional(
    Type.Integer({ format: 'int64', description: 'The generation that it was stated for.' }),
  ),
});

/** What nearly every status has: `observedGeneration`, `phase`, `conditions`. */
export const commonStatus = {
  observedGeneration: Type.Optional(
    Type.Integer({ format: 'int64', description: 'The generation of the spec that this status is about.' }),
  ),
  phase: Type.Optional(Type.String({ description: 'The conditions in one word.' })),
  conditions: Type.Optional(
    Type.Array(conditionSchema, {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      description: 'What is known, point by point.',
    }),
  ),
  lastHandledReconcileAt: Type.Optional(
    Type.String({ description: 'The last request for a reconcile that was answered.' }),
  ),
};

/** Filled in by the server, never by users, as the API of the Kubernetes service catalog has it. */
export const userInfo = Type.Optional(
  Type.Object(
    { username: Type.String() },
    { description: 'Who last changed the spec through the Kubernetes API. The server fills it in.' },
  ),
);

/** Anything, kept as it is. */
export const anything = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    description,
  });

/** A list of objects identified by keys; server-side apply merges it by them. */
export const keyedList = <T extends Parameters<typeof Type.Array>[0]>(
  items: T,
  keys: readonly string[],
  description: string,
) => Type.Array(items, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [...keys], description });

/** The rule of a field that stays as it was first set. */
export const immutable = {
  'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'cannot be changed once it is set' }],
};
