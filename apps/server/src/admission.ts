import type { KubeObject } from '@chandlery/api';
import {
  type Behaviour,
  type BehaviourContext,
  type Behaviours,
  getObject,
  onboardingCluster,
  putBeside,
  rbacGroup,
} from '@chandlery/kernel';
import { type AdmissionRule, admissionRules } from '@chandlery/providers';
import { type ProjectWorkspaceConfig, projectWorkspaceConfigs } from '@chandlery/providers/kinds';
import { forbidden } from './provider-admission.ts';

/** Asks the domains before what tenants write on the onboarding cluster is stored. */
export const admissionBehaviours: Behaviours = new Map(
  admissionRules.map(rule => [`${rule.group}/${rule.plural}`, behaviourOf(rule)] as const),
);

function behaviourOf(rule: AdmissionRule): Behaviour {
  return {
    prepareCreate: (object, context) => admit(rule, object, undefined, context),
    prepareUpdate: (object, live, context) => admit(rule, object, live, context),
    withCreate: async (object, context) => ({ writes: await putBesides(rule, object, context) }),
  };
}

async function putBesides(
  rule: AdmissionRule,
  object: KubeObject,
  context: BehaviourContext,
): Promise<readonly ReturnType<typeof putBeside>[]> {
  if (context.target.cluster !== onboardingCluster || rule.besides === undefined) return [];
  const besides = rule.besides({ object, config: await readConfig(context) });
  return besides.map(({ plural, object: beside }) => putBeside(context, `${rbacGroup}/${plural}`, beside));
}

/** Changes the object as the rule says, or rejects it. Kinds of the same name in other logical clusters are not affected. */
async function admit(
  rule: AdmissionRule,
  object: KubeObject,
  live: KubeObject | undefined,
  context: BehaviourContext,
): Promise<void> {
  if (context.target.cluster !== onboardingCluster) return;
  const { user } = context.write;
  const admission = rule.admit({ object, live, user: { ...user }, config: await readConfig(context) });
  if (admission.type === 'allow') return void Object.assign(object, admission.object);
  throw forbidden(rule, object, admission.message);
}

async function readConfig({ deps }: BehaviourContext): Promise<ProjectWorkspaceConfig['spec'] | undefined> {
  const { group, version, plural } = projectWorkspaceConfigs;
  const resource = (await deps.registry.of(onboardingCluster)).resolve(group, version, plural);
  if (resource === undefined) return undefined;
  const target = { cluster: onboardingCluster, resource, namespace: '', name: 'default' };
  const found = await getObject(deps, target).catch(() => undefined);
  return found && (found.object as ProjectWorkspaceConfig).spec;
}
