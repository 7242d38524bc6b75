import { createClient } from '@chandlery/client';
import { nearest } from '@chandlery/platform';
import { projects, type Tenant, workspaces } from '@chandlery/providers/kinds';
import type { CommandContext } from '../command.ts';
import { contextConnectionOf } from '../landscape/connect.ts';

/** Where a right is missing. */
export interface Place {
  readonly cluster: string;
  /** Default: the whole cluster. */
  readonly namespace?: string | undefined;
  /** The project that is meant, where no namespace says it. */
  readonly project?: string | undefined;
}

/** Says who can give a right: administrators of the project or workspace by name if they can be read, else the operator. */
export async function whomToAsk(context: CommandContext, { cluster, namespace, project }: Place): Promise<string> {
  const tenant = tenantOf(namespace) ?? (project === undefined ? undefined : { project });
  if (tenant === undefined) return `Ask the operator of the landscape for it (cluster "${cluster}").`;
  const { project: name, workspace } = tenant;
  const admins = await adminsOf(context, name, workspace).catch(() => []);
  const meant = admins.length === 0 ? await meantProject(context, name).catch(() => '') : '';
  const where = workspace === undefined ? `project "${name}"` : `workspace "${workspace}" of project "${name}"`;
  return `${meant}Ask an administrator of ${where} for it${admins.length === 0 ? '' : `: ${admins.join(', ')}`}.`;
}

/** A misspelt project is as forbidden as one of others. */
async function meantProject(context: CommandContext, project: string): Promise<string> {
  await using client = createClient(contextConnectionOf(context));
  const { items } = await client.list<Tenant>(projects.ref);
  const names = items.map(({ metadata }) => metadata.name ?? '');
  const found = names.includes(project) ? undefined : nearest(project, names);
  return found === undefined ? '' : `Did you mean project "${found}"? `;
}

/** `project-acme` and `project-acme--ws-dev` belong to tenants. */
function tenantOf(namespace = ''): { readonly project: string; readonly workspace?: string } | undefined {
  const [, project, workspace] = /^project-(.+?)(?:--ws-(.+))?$/.exec(namespace) ?? [];
  if (project === undefined) return undefined;
  return { project, ...(workspace === undefined ? {} : { workspace }) };
}

async function adminsOf(context: CommandContext, project: string, workspace: string | undefined): Promise<string[]> {
  await using client = createClient(contextConnectionOf(context));
  const ref =
    workspace === undefined
      ? { ...projects.ref, name: project }
      : { ...workspaces.ref, namespace: `project-${project}`, name: workspace };
  const { spec } = await client.get<Tenant>(ref);
  const admins = (spec?.members ?? []).filter(({ roles }) => roles.includes('admin'));
  return admins.map(({ name }) => name);
}
