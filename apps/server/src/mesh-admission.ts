import { apiError, type KubeObject } from '@chandlery/api';
import { type Behaviour, type BehaviourContext, type Behaviours, listObjects } from '@chandlery/kernel';
import {
  checkMachineSet,
  type MeshAdmissionRule,
  meshAdmissionRules,
  type RootChange,
  whyRootChangeRefused,
} from '@chandlery/mesh';
import {
  type MeshRootCertificate,
  meshRootCertificates,
  type VirtualMachineSet,
  virtualMachineSets,
} from '@chandlery/mesh/kinds';

/** Asks the mesh before policies and roots of trust are stored. */
export const meshBehaviours: Behaviours = new Map([
  ...meshAdmissionRules.map((rule): [string, Behaviour] => [`${rule.group}/${rule.plural}`, behaviourOf(rule)]),
  [`${meshRootCertificates.group}/${meshRootCertificates.plural}`, rootBehaviour()],
  [
    `${virtualMachineSets.group}/${virtualMachineSets.plural}`,
    {
      validate: object =>
        checkMachineSet((object as VirtualMachineSet).spec).map(problem => ({
          reason: 'FieldValueInvalid',
          ...problem,
        })),
    },
  ],
]);

function behaviourOf(rule: MeshAdmissionRule): Behaviour {
  const admit = async (object: KubeObject, context: BehaviourContext): Promise<void> => {
    const others = rule.needsOthers && (await listBeside(context, rule.needsOthers));
    const admission = rule.admit({ object, ...(others && { others }) });
    if (admission.type === 'allow') return void Object.assign(object, admission.object);
    throw refusal(admission.reason, context, object, admission.message);
  };
  return {
    prepareCreate: (object, context) => admit(object, context),
    prepareUpdate: (object, _live, context) => admit(object, context),
  };
}

function rootBehaviour(): Behaviour {
  const check = async (change: RootChange, context: BehaviourContext): Promise<void> => {
    const roots = await listBeside(context, meshRootCertificates);
    const message = whyRootChangeRefused(roots as MeshRootCertificate[], change);
    const object = change.after ?? change.before;
    if (message !== undefined && object !== undefined) throw refusal('Conflict', context, object, message);
  };
  const root = (object: KubeObject): MeshRootCertificate => object as MeshRootCertificate;
  return {
    prepareCreate: (object, context) => check({ after: root(object) }, context),
    prepareUpdate: (object, live, context) => check({ before: root(live), after: root(object) }, context),
    beforeDelete: (live, context) => check({ before: root(live) }, context),
  };
}

/** All objects of a kind where the object is that is to be written. */
async function listBeside(
  { deps, target: { cluster, namespace } }: BehaviourContext,
  { group, version, plural }: { readonly group: string; readonly version: string; readonly plural: string },
): Promise<readonly KubeObject[]> {
  const resource = (await deps.registry.of(cluster)).resolve(group, version, plural);
  if (resource === undefined) return [];
  const { items } = await listObjects(deps, { cluster, resource, namespace, name: '' }, {});
  return items.map(({ object }) => object);
}

function refusal(reason: 'Conflict' | 'Invalid', { target }: BehaviourContext, object: KubeObject, message: string) {
  const { group, plural } = target.resource.kind;
  return apiError(reason, `${plural}.${group} "${object.metadata.name ?? ''}" is refused: ${message}`);
}
