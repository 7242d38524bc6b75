import { readFile } from 'node:fs/promises';
import type { TempFolder } from '@chandlery/testing';
import { isTrue, type Person, personFromSecret, seen } from './people.ts';

/** The namespace of the workspace in which tenants order. */
export const workspace = 'project-shop--ws-main';

export const foo = (name: string, namespace = workspace): object => ({
  apiVersion: 'foo.services.open-control-plane.io/v1alpha1',
  kind: 'Foo',
  metadata: { name, namespace },
  spec: { version: 'v1' },
});

export const controlPlane = (name: string, namespace = workspace): object => ({
  apiVersion: 'core.open-control-plane.io/v2alpha1',
  kind: 'ControlPlane',
  metadata: { name, namespace },
});

/** A project with a workspace `main` and its admin. */
export async function openProject(master: Person, project: string, member: string): Promise<void> {
  const group = 'core.openmcp.cloud/v1alpha1';
  const members = [{ kind: 'User', name: member, roles: ['admin'] }];
  await master.apply({ apiVersion: group, kind: 'Project', metadata: { name: project }, spec: { members } });
  await seen(master, ['project', project], object => isTrue(object, 'Ready'));
  const at = { name: 'main', namespace: `project-${project}` };
  await master.apply({ apiVersion: group, kind: 'Workspace', metadata: at, spec: { members } });
  await seen(master, ['workspace', 'main', at.namespace], object => isTrue(object, 'Ready'));
}

/** Installs a provider that was scaffolded as `foo` in a folder, and waits until it is ready. */
export async function installScaffold(operator: Person, folder: TempFolder): Promise<void> {
  await operator.apply(await readFile(folder.join('foo', 'install.yaml'), 'utf8'));
  await seen(operator, ['serviceprovider', 'foo'], object => isTrue(object, 'Initialized'));
  await operator.apply(await readFile(folder.join('foo', 'config.yaml'), 'utf8'));
  await seen(operator, ['serviceprovider', 'foo'], object => isTrue(object, 'Ready'));
}

/** Makes a control plane and answers its owner, by the kubeconfig that the tenant was given. */
export async function openControlPlane(
  master: Person,
  name: string,
  { folder, namespace = workspace }: { readonly folder: TempFolder; readonly namespace?: string },
): Promise<Person> {
  await master.apply(controlPlane(name, namespace));
  await seen(master, ['controlplane', name, namespace], object => isTrue(object, 'Ready'));
  const file = folder.join(`${namespace}.${name}.kubeconfig`);
  return personFromSecret(master, { name: `token-admin.${name}.kubeconfig`, namespace, file });
}
