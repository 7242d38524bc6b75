import { readFile } from 'node:fs/promises';
import { kubectl, type TempFolder, type TestLandscape } from '@chandlery/testing';
import { scaffoldProvider } from '../../scenarios/provider-validation/support/scaffold.ts';
import type { Caller } from './caller.ts';
import { corePath, expectStatus, groupPath } from './objects.ts';
import { isReady, until } from './tenants.ts';

const fooGroup = 'foo.services.open-control-plane.io/v1alpha1';

export const systemNamespace = 'openmcp-system';
export const providersPath = groupPath('platform', 'openmcp.cloud/v1alpha1/serviceproviders');
export const foosPath = (namespace: string): string => `${groupPath('onboarding', fooGroup, namespace)}/foos`;
export const fooConfigsPath = groupPath('platform', `${fooGroup}/providerconfigs`);

export const foo = (name: string) => ({
  apiVersion: fooGroup,
  kind: 'Foo',
  metadata: { name },
  spec: { version: 'v1' },
});

/** Writes a provider as its author would, and installs it as the operator would. */
export async function installFoo(landscape: TestLandscape, admin: Caller, folder: TempFolder): Promise<void> {
  const place = await scaffoldProvider(folder, 'foo');
  await applyOnPlatform(landscape, await readFile(`${place}/install.yaml`, 'utf8'));
  await until(admin, `${providersPath}/foo`, isReady);
  await applyOnPlatform(landscape, await readFile(`${place}/config.yaml`, 'utf8'));
}

/** Applies manifests as the operator would. */
export async function applyOnPlatform({ kubeconfig }: TestLandscape, stdin: string): Promise<void> {
  const { code, stderr } = await kubectl(['apply', '-f', '-'], { kubeconfig, context: 'platform', stdin });
  if (code !== 0) throw new Error(stderr);
}

/** A token of an account of a provider. */
export async function providerToken(admin: Caller, account: string): Promise<string> {
  const path = `${corePath('platform', systemNamespace)}/serviceaccounts/${account}/token`;
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  return expectStatus(await admin.send(path, { body }), 201, path).json<{ status: { token: string } }>().status.token;
}
