import { apiError, type KubeObject } from '@chandlery/api';
import { type Behaviour, type BehaviourContext, type Behaviours, listObjects } from '@chandlery/kernel';
import { type MeshAdmissionRule, meshAdmissionRules } from '@chandlery/mesh/admission';

type Admission = ReturnType<NonNullable<MeshAdmissionRule['admit']>>;

/** Applies the admission rules of the mesh before its objects are stored or deleted. */
export const meshBehaviours: Behaviours = new Map(
  meshAdmissionRules.map((rule): [string, Behaviour] => [`${rule.group}/${rule.plural}`, behaviourOf(rule)]),
);

function behaviourOf(rule: MeshAdmissionRule): Behaviour {
  const { validate, admit, admitDelete } = rule;
  return {
    ...(validate && {
      validate: object => validate(object).map(problem => ({ reason: 'FieldValueInvalid', ...problem })),
    }),
    ...(admit && {
      prepareCreate: async (object, context) =>
        apply(admit({ object, ...(await othersOf(rule, context)) }), object, context),
      prepareUpdate: async (object, live, context) =>
        apply(admit({ object, live, ...(await othersOf(rule, context)) }), object, context),
    }),
    ...(admitDelete && {
      beforeDelete: async (live, context) =>
        apply(admitDelete({ live, ...(await othersOf(rule, context)) }), live, context),
    }),
  };
}

function apply(admission: Admission, object: KubeObject, { target }: BehaviourContext): void {
  if (admission.type === 'allow') return void Object.assign(object, admission.object);
  const { group, plural } = target.resource.kind;
  const name = object.metadata.name ?? '';
  throw apiError(admission.reason, `${plural}.${group} "${name}" is refused: ${admission.message}`);
}

/** The objects of the collection that a rule reads, in the namespace of the object that is to be written. */
async function othersOf(
  { needsOthers }: MeshAdmissionRule,
  { deps, target: { cluster, namespace } }: BehaviourContext,
): Promise<{ readonly others?: readonly KubeObject[] }> {
  if (needsOthers === undefined) return {};
  const { group, version, plural } = needsOthers;
  const resource = (await deps.registry.of(cluster)).resolve(group, version, plural);
  if (resource === undefined) return { others: [] };
  const { items } = await listObjects(deps, { cluster, resource, namespace, name: '' }, {});
  return { others: items.map(({ object }) => object) };
}
