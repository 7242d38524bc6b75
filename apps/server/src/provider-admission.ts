import { apiError, type KubeObject, parseJson } from '@chandlery/api';
import {
  type AdmissionHook,
  type BehaviourContext,
  crdResource,
  listObjects,
  onboardingCluster,
  platformCluster,
} from '@chandlery/kernel';
import {
  type Admission,
  admissionRules,
  admitDefinitionDeletion,
  admitFinalizers,
  admitOfferingMarks,
  admitOrder,
  admitTenantLabels,
  hasFinalizerChange,
  isReserved,
  type KindOwner,
  managedByValue,
} from '@chandlery/providers';
import {
  clusterProviders,
  type Provider,
  type ProviderKind,
  platformServices,
  providerNames,
  serviceProviders,
} from '@chandlery/providers/kinds';
import { readStored as read, targetOf } from './read-stored.ts';
import { admitRequestWrite } from './request-admission.ts';
import { admitRetainedWrite } from './retained-admission.ts';

/** The user of the controllers that run in this process. */
export const landscapeUser = 'system:chandlery';
const definitions = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
const namespaces = '/namespaces';
const tenantKinds: ReadonlySet<string> = new Set(admissionRules.map(({ group, plural }) => `${group}/${plural}`));

/** Asks the domain of providers about whatever is written where tenants and providers meet. */
export const providerAdmission: AdmissionHook = {
  async beforeWrite(object, live, context) {
    const { cluster } = context.target;
    if (cluster === platformCluster) check(await admitRequestWrite(object, live, context), object, context);
    if (cluster !== onboardingCluster) return;
    const user = { ...context.write.user };
    check(admitOfferingMarks({ object, live, user }), object, context);
    if (context.target.resource.kind.resource === namespaces)
      check(admitTenantLabels({ object, live, user }), object, context);
    check(await admitRetainedWrite(live ?? object, context), object, context);
    if (live === undefined) await checkOrder(object, context);
    if (hasFinalizerChange(object, live)) await checkFinalizers(object, live, context);
  },
  async beforeDelete(live, context) {
    const { cluster, resource } = context.target;
    if (cluster === onboardingCluster) check(await admitRetainedWrite(live, context), live, context);
    if (cluster === platformCluster) check(await admitRequestWrite(undefined, live, context), live, context);
    if (resource.kind.resource !== crdResource) return;
    if (cluster === onboardingCluster || cluster === platformCluster) await checkDefinitionDeletion(live, context);
  },
};

async function checkOrder(object: KubeObject, context: BehaviourContext): Promise<void> {
  const manager = managerOf(context);
  if (manager === undefined) return;
  const provider = await findProvider(context, serviceProviders, manager);
  check(admitOrder({ object, provider }), object, context);
}

async function checkFinalizers(
  object: KubeObject,
  live: KubeObject | undefined,
  context: BehaviourContext,
): Promise<void> {
  const { resource } = context.target.resource.kind;
  const provider = await kindOwner(context);
  if (provider === undefined && resource !== namespaces && !tenantKinds.has(resource)) return;
  check(admitFinalizers({ object, live, user: { ...context.write.user }, provider }), object, context);
}

async function checkDefinitionDeletion(definition: KubeObject, context: BehaviourContext): Promise<void> {
  const { group = '' } = (definition['spec'] ?? {}) as { group?: string };
  const manager = definition.metadata.labels?.[providerNames.managedByLabel];
  if (manager === undefined || isReserved(group)) return;
  const provider = await findAnyProvider(context, manager);
  const isOperator = context.write.isInternal === true && context.write.user.username === landscapeUser;
  check(admitDefinitionDeletion({ definition, provider, isOperator }), definition, context);
}

/** The label of the definition by which a provider owns the addressed kind; undefined for kinds without a provider. */
function managerOf({ target: { resource } }: BehaviourContext): string | undefined {
  return isReserved(resource.kind.group) ? undefined : resource.crd?.labels?.[providerNames.managedByLabel];
}

async function kindOwner(context: BehaviourContext): Promise<KindOwner | undefined> {
  const { crd, kind } = context.target.resource;
  const name = managerOf(context);
  if (name === undefined || crd === undefined) return undefined;
  const definition = await read(context, context.target.cluster, definitions, { name: crd.name });
  return { name, group: kind.group, finalizers: declaredFinalizers(definition) };
}

/** What cannot be read declares nothing. */
function declaredFinalizers(definition: KubeObject | undefined): readonly string[] {
  try {
    const declared = parseJson(definition?.metadata.annotations?.[providerNames.finalizersAnnotation] ?? '[]');
    return Array.isArray(declared) ? declared.filter(entry => typeof entry === 'string') : [];
  } catch {
    return [];
  }
}

async function findAnyProvider(context: BehaviourContext, manager: string): Promise<Provider | undefined> {
  for (const kind of [serviceProviders, clusterProviders, platformServices]) {
    const found = await findProvider(context, kind, manager);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The provider of a label, which is its name unless that is too long for a label. */
async function findProvider(
  context: BehaviourContext,
  kind: ProviderKind,
  manager: string,
): Promise<Provider | undefined> {
  const found = await read<Provider>(context, platformCluster, kind.ref, { name: manager });
  if (found !== undefined || !isShortened(manager)) return found;
  const target = await targetOf(context, platformCluster, kind.ref, { name: '' });
  const { items } = target === undefined ? { items: [] } : await listObjects(context.deps, target, {});
  const providers = items.map(({ object }) => object as Provider);
  return providers.find(({ metadata }) => managedByValue(metadata.name ?? '') === manager);
}

/** What {@link managedByValue} makes of long names: as long as a label may be, with a hash at the end. */
const isShortened = (manager: string): boolean => /--[a-z2-7]{8}$/.test(manager);

function check(admission: Admission<KubeObject>, object: KubeObject, { target }: BehaviourContext): void {
  if (admission.type === 'deny') throw forbidden(target.resource.kind, object, admission.message);
}

/** The rejection of a write, in the words of Kubernetes. */
export const forbidden = (
  { group, plural }: { readonly group: string; readonly plural: string },
  { metadata }: KubeObject,
  message: string,
): Error =>
  apiError(
    'Forbidden',
    `${plural}${group === '' ? '' : `.${group}`} "${metadata.name ?? ''}" is forbidden: ${message}`,
  );
