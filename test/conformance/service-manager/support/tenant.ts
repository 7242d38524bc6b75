import { assertStatus, type Body, textAt } from './http.ts';
import type { Stage } from './stage.ts';

const cluster = '/clusters/onboarding';
const rbac = 'rbac.authorization.k8s.io';

/** Makes a tenant: a namespace of the onboarding cluster. */
export async function createTenant(stage: Stage, name: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  assertStatus(await stage.post(`${cluster}/api/v1/namespaces`, body), 201);
}

/** Creates a user with rights on the kinds of the service manager in one tenant. Returns a token. */
export async function createUser(
  stage: Stage,
  tenant: string,
  { name, verbs }: { readonly name: string; readonly verbs: string[] },
): Promise<{ readonly token: string }> {
  const core = `${cluster}/api/v1/namespaces/${tenant}`;
  const rights = `${cluster}/apis/${rbac}/v1/namespaces/${tenant}`;
  const metadata = { name, namespace: tenant };
  const rules = [{ apiGroups: ['brokers.chandlery.io'], resources: ['*'], verbs }];
  const subjects = [{ kind: 'ServiceAccount', name, namespace: tenant }];
  const roleRef = { apiGroup: rbac, kind: 'Role', name };
  const apply = async (path: string, body: Body) => assertStatus(await stage.post(path, body), 201);
  await apply(`${core}/serviceaccounts`, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  await apply(`${rights}/roles`, { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules });
  await apply(`${rights}/rolebindings`, { apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata, subjects, roleRef });
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const answer = await stage.post(`${core}/serviceaccounts/${name}/token`, request);
  assertStatus(answer, 201);
  return { token: textAt(answer, 'status', 'token') };
}
