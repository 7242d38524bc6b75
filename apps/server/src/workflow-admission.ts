import { invalid, type KubeObject } from '@chandlery/api';
import { type BehaviourContext, type Behaviours, listObjects, platformCluster } from '@chandlery/kernel';
import { problemsOf } from '@chandlery/orders';

const group = 'argoproj.io';
const version = 'v1alpha1';

/** Rejects Workflows that cannot be executed when they are created. */
export const workflowBehaviours: Behaviours = new Map([
  [`${group}/workflows`, { prepareCreate: (object, context) => admit(object, context) }],
]);

async function admit(workflow: KubeObject, context: BehaviourContext): Promise<void> {
  const { target } = context;
  if (target.cluster !== platformCluster) return;
  // Templates are read only for workflows that refer to some.
  const isReferring = /"(templateRef|workflowTemplateRef)"/.test(JSON.stringify(workflow['spec']));
  const templates = isReferring ? await listAll(context, 'workflowtemplates', target.namespace) : [];
  const clusterTemplates = isReferring ? await listAll(context, 'clusterworkflowtemplates', '') : [];
  const [problem] = problemsOf(workflow, (name, isClusterScoped) =>
    (isClusterScoped ? clusterTemplates : templates).find(({ metadata }) => metadata.name === name),
  );
  if (problem === undefined) return;
  const cause = { reason: 'FieldValueInvalid', message: `invalid spec: ${problem}`, field: 'spec' };
  throw invalid(target.resource.kind, workflow.metadata.name ?? workflow.metadata.generateName ?? '', [cause]);
}

async function listAll({ deps }: BehaviourContext, plural: string, namespace: string): Promise<readonly KubeObject[]> {
  const resource = (await deps.registry.of(platformCluster)).resolve(group, version, plural);
  if (resource === undefined) return [];
  const list = await listObjects(deps, { cluster: platformCluster, resource, namespace, name: '' }, {});
  return list.items.map(({ object }) => object);
}
