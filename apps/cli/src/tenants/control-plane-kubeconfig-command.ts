import { ChandleryError, type KubeObject } from '@chandlery/api';
import { clustersGroup } from '../clusters/logical-cluster.ts';
import type { Command } from '../command.ts';
import { findKind } from '../resources/discover.ts';
import { collectionIn, openScope, scopeFlags } from '../resources/scope.ts';
import { tenantKinds, tenantNamespace } from './tenant-kinds.ts';

const [, , controlPlane] = tenantKinds;

type Accessible = KubeObject & { status?: { access?: Readonly<Record<string, { readonly name: string }>> } };
type Secret = KubeObject & { data?: Readonly<Record<string, string>> };

export const controlPlaneKubeconfigCommand: Command = {
  name: 'controlplane kubeconfig',
  group: clustersGroup,
  summary: 'Print a kubeconfig of a control plane',
  usage: 'NAME [flags]',
  examples: ['chandlery controlplane kubeconfig web --project acme --workspace dev > web.kubeconfig'],
  arguments: { required: ['NAME'] },
  formats: [],
  options: {
    project: { type: 'text', valueName: 'NAME', about: 'Of this project.' },
    workspace: { type: 'text', valueName: 'NAME', about: 'Of this workspace of it.' },
    ...scopeFlags,
    access: { type: 'text', valueName: 'NAME', about: 'Which access. Default: the first one.' },
  },
  goal: ([name]) => `print a kubeconfig of the control plane "${name}"`,
  async run(context) {
    const [name = ''] = context.args;
    await using scope = await openScope(context);
    const namespace = (controlPlane && tenantNamespace(context.flags, controlPlane)) ?? scope.namespace;
    const place = { ...scope, namespace };
    const ref = { ...collectionIn(place, findKind('controlplanes', scope.kinds)), name };
    const { status } = await scope.client.get<Accessible>(ref);
    const secret = secretOf(status?.access ?? {}, context.flags.text('access'));
    const found = await scope.client.get<Secret>({
      group: '',
      version: 'v1',
      plural: 'secrets',
      namespace,
      name: secret,
    });
    context.stdout.write(Buffer.from(found.data?.['kubeconfig'] ?? '', 'base64').toString());
    return 0;
  },
};

function secretOf(access: Readonly<Record<string, { readonly name: string }>>, wanted: string | undefined): string {
  const names = Object.keys(access);
  const found = wanted === undefined ? Object.values(access)[0] : access[wanted];
  if (found !== undefined) return found.name;
  throw new ChandleryError(
    'NotReady',
    wanted === undefined ? 'it gives no access yet' : `it has no access "${wanted}"`,
    {
      hint:
        names.length === 0
          ? 'Wait until it is ready; spec.iam.tokens says who gets access.'
          : `It has ${names.join(', ')}.`,
    },
  );
}
