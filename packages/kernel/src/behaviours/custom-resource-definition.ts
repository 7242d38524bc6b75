import { isDeepStrictEqual } from 'node:util';
import { apiError, type ErrorCause, fieldCause, type KubeObject } from '@chandlery/api';
import type { CustomResourceDefinition } from '../registry/kind-of-crd.ts';
import type { KindRegistry } from '../registry/kind-registry.ts';
import type { Behaviour, BehaviourContext } from './behaviour.ts';
import { approvalCauses } from './crd-approval.ts';
import { crdCauses } from './crd-rules.ts';
import { crdStatus } from './crd-status.ts';

/** Finalizer that keeps a CRD until its objects are deleted. */
export const crdFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

/** A CRD is established by the write that creates it: names are compared with those in use, status says the outcome. */
export const crdBehaviour: Behaviour = {
  async prepareCreate(object, context) {
    const crd = fillNames(object);
    crd.metadata.finalizers = [...new Set([...(crd.metadata.finalizers ?? []), crdFinalizer])];
    await refreshStatus(crd, context);
  },
  async prepareUpdate(object, _live, context) {
    await refreshStatus(fillNames(object), context);
  },
  validate(object, { write }) {
    return crdCauses(object as CustomResourceDefinition, text => write.warn?.(text));
  },
  validateCreate(object, { deps, target }) {
    const crd = object as CustomResourceDefinition;
    return [...builtInCauses(crd, deps.registry, target.cluster), ...approvalCauses(crd)];
  },
  validateUpdate(object, live) {
    const [crd, before] = [object as CustomResourceDefinition, live as CustomResourceDefinition];
    return [...immutableCauses(crd, before), ...approvalCauses(crd, before)];
  },
  authorize(object, _live, context) {
    authorizeReservedGroup(object as CustomResourceDefinition, context);
  },
  beforeDelete(live, context) {
    authorizeReservedGroup(live as CustomResourceDefinition, context);
  },
  onTerminating(object, { now }) {
    const crd = object as CustomResourceDefinition;
    const others = (crd.status?.conditions ?? []).filter(({ type }) => type !== 'Terminating');
    const terminating = {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      lastTransitionTime: now,
    };
    crd.status = { ...crd.status, conditions: [...others, terminating] };
  },
};

function fillNames(object: KubeObject): CustomResourceDefinition {
  const crd = object as CustomResourceDefinition;
  const names = crd.spec?.names;
  if (names?.kind !== undefined) {
    names.singular ??= names.kind.toLowerCase();
    names.listKind ??= `${names.kind}List`;
  }
  if (crd.spec !== undefined) crd.spec.conversion ??= { strategy: 'None' };
  return crd;
}

async function refreshStatus(crd: CustomResourceDefinition, { deps, target, now }: BehaviourContext): Promise<void> {
  if (crd.spec?.names === undefined || !Array.isArray(crd.spec.versions)) return;
  const kinds = await deps.registry.of(target.cluster);
  const declared = [...kinds.all()].filter(({ crd: by }) => by !== undefined && by.name !== crd.metadata.name);
  crd.status = crdStatus(
    crd,
    [...deps.registry.builtInKinds(target.cluster), ...declared.map(({ kind }) => kind)],
    now,
  );
}

/** A CRD of a built-in kind would own the rows of that kind: deleting it would delete them. */
function builtInCauses({ spec }: CustomResourceDefinition, registry: KindRegistry, cluster: string): ErrorCause[] {
  if (!registry.isBuiltIn(`${spec.group}/${spec.names.plural}`, cluster)) return [];
  const detail = `"${spec.names.plural}.${spec.group}" is a built-in kind and cannot be declared by a CustomResourceDefinition`;
  return [fieldCause.forbidden('spec.names.plural', detail)];
}

/**
 * CRDs of the landscape's own groups are written by the landscape and by administrators only. Other writers of CRDs
 * (the init of a provider) could otherwise have one deleted through an owner reference, with all of its objects.
 */
function authorizeReservedGroup(
  { spec, metadata }: CustomResourceDefinition,
  { deps, write: { user, access } }: BehaviourContext,
): void {
  if (access === undefined || !deps.reservedGroups.has(spec.group)) return;
  const everything = { verb: '*', group: '*', resource: '*', namespace: '' };
  if (access.authorize(user, everything).allowed) return;
  const message = `customresourcedefinitions.apiextensions.k8s.io "${metadata.name}" is forbidden: the group "${spec.group}" is reserved for the landscape`;
  throw apiError('Forbidden', message);
}

function immutableCauses({ spec }: CustomResourceDefinition, live: CustomResourceDefinition): ErrorCause[] {
  const causes: ErrorCause[] = [];
  const keep = (field: string, value: unknown, before: unknown): void => {
    if (!isDeepStrictEqual(value, before)) causes.push(fieldCause.invalid(field, value, 'field is immutable'));
  };
  keep('spec.group', spec.group, live.spec.group);
  keep('spec.names.plural', spec.names.plural, live.spec.names.plural);
  if (live.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True')) {
    keep('spec.scope', spec.scope, live.spec.scope);
    keep('spec.names.kind', spec.names.kind, live.spec.names.kind);
  }
  const declared = new Set(spec.versions.map(({ name }) => name));
  const missing = (live.status?.storedVersions ?? []).filter(name => !declared.has(name));
  for (const name of missing) {
    causes.push(
      fieldCause.invalid(
        'status.storedVersions',
        name,
        'must appear in spec.versions: objects may still be stored in this version',
      ),
    );
  }
  return causes;
}
