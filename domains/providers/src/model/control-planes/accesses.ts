import { validateDnsSubdomain, validateLabelValue } from '@chandlery/api';
import { type AccessRequest, shorten } from '@chandlery/clusters/kinds';
import { type ControlPlane, type ControlPlaneConfig, providerNames } from '../../kinds/index.ts';

type AccessSpec = Pick<AccessRequest['spec'], 'token' | 'oidc'>;

/** One access to a control plane. */
export interface Access {
  /** `token_<name>` or `oidc_<name>`: its key in `status.access` and its condition. */
  readonly id: string;
  readonly spec: AccessSpec;
  /** Labels of the copied Secret and the AccessRequest. */
  readonly labels: Readonly<Record<string, string>>;
  /** The name on the platform cluster, in the tenant's namespace. */
  readonly requestName: string;
  /** The name beside the control plane. */
  readonly secretName: string;
}

/** An access that cannot be created until its owner changes the spec. */
export interface BadAccess {
  readonly id: string;
  readonly problem: string;
}

export interface Accesses {
  readonly wanted: readonly Access[];
  readonly bad: readonly BadAccess[];
}

/** The access of a control plane whose spec has none: it could not be used otherwise. */
const defaultTokens = [{ name: 'admin', roleRefs: [{ kind: 'ClusterRole' as const, name: 'cluster-admin' }] }];

/** The accesses of a control plane: those that its spec requests, valid or not. */
export function accessesOf(controlPlane: ControlPlane, config: ControlPlaneConfig['spec']): Accesses {
  const iam = controlPlane.spec?.iam;
  const tokens = iam === undefined ? defaultTokens : (iam.tokens ?? []);
  const desiredAccesses: (DesiredAccess | BadAccess)[] = [
    ...tokens.map(({ name, ...token }) => ({ id: `token_${name}`, name, spec: { token } })),
    ...defaultProvider(iam?.oidc?.defaultProvider?.roleBindings ?? [], config),
    ...(iam?.oidc?.extraProviders ?? []).map(oidc => ({ id: `oidc_${oidc.name}`, name: oidc.name, spec: { oidc } })),
  ];
  return sort(desiredAccesses, controlPlane.metadata.name ?? '');
}

interface DesiredAccess {
  readonly id: string;
  readonly name: string;
  readonly spec: AccessSpec;
}

type RoleBindings = NonNullable<NonNullable<AccessSpec['oidc']>['roleBindings']>;

/** The landscape's own provider is included only when the spec gives a subject a role. */
function defaultProvider(
  bindings: RoleBindings,
  { defaultOIDCProvider }: ControlPlaneConfig['spec'],
): (DesiredAccess | BadAccess)[] {
  if (bindings.length === 0) return [];
  if (defaultOIDCProvider === undefined) return [{ id: 'oidc_default', problem: noDefaultProvider }];
  const { name, roleBindings = [] } = defaultOIDCProvider;
  const oidc = { ...defaultOIDCProvider, roleBindings: [...roleBindings, ...bindings] };
  return [{ id: `oidc_${name}`, name, spec: { oidc } }];
}

/** Of two accesses with the same Secret, the first one gets it. */
function sort(desiredAccesses: readonly (DesiredAccess | BadAccess)[], controlPlane: string): Accesses {
  const wanted = new Map<string, Access>();
  const bad: BadAccess[] = [];
  for (const desired of desiredAccesses) {
    const access = 'problem' in desired ? desired : toAccess(desired, controlPlane);
    if ('problem' in access) bad.push(access);
    else if (wanted.has(access.secretName)) bad.push({ id: `${access.id}.duplicate`, problem: nameTaken(access.id) });
    else wanted.set(access.secretName, access);
  }
  return { wanted: [...wanted.values()], bad };
}

function toAccess({ id, name, spec }: DesiredAccess, controlPlane: string): Access | BadAccess {
  const dashed = id.replaceAll('_', '-');
  const isGood = validateDnsSubdomain(dashed).length === 0 && validateLabelValue(shorten(name)).length === 0;
  if (!isGood) return { id: conditionSafe(id), problem: badName(name) };
  const label = spec.token === undefined ? providerNames.oidcProviderLabel : providerNames.tokenProviderLabel;
  return {
    id,
    spec,
    labels: { [label]: shorten(name) },
    requestName: shorten(`${controlPlane}--${dashed}`),
    secretName: shorten(`${dashed}.${controlPlane}.kubeconfig`),
  };
}

const conditionSafe = (id: string): string => id.replaceAll(/[^-_.A-Za-z0-9]/g, '-').replace(/[^A-Za-z0-9]+$/, '');

const noDefaultProvider =
  'The landscape has no default OpenID provider; list yours under extraProviders, or ask the operator for one.';
const badName = (name: string): string =>
  `The name "${name}" cannot be part of the name of a Secret; use lower case letters, digits and dashes.`;
const nameTaken = (id: string): string => `Another access has the same name as "${id}"; rename one of them.`;
