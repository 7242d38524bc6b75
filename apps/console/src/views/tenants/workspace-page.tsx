import { situationOf } from '@chandlery/api';
import { useState } from 'react';
import { useDenial } from '../../api/access.ts';
import { Link } from '../../routing/link.tsx';
import { viewHref } from '../../routing/location.ts';
import { objectHref, pageHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { Button } from '../../ui/button.tsx';
import { Commands } from '../../ui/command-line.tsx';
import { commandText } from '../../ui/command-text.ts';
import { FailurePage, Loading, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { useLiveObject } from '../object/live-object.ts';
import { ChildList } from './child-list.tsx';
import { CreateTenantDialog } from './create-tenant-dialog.tsx';
import { MembersCard } from './members-card.tsx';
import { QuotaCard } from './quota-card.tsx';
import { TenantHead } from './tenant-head.tsx';
import { projectNamespace, tenantKinds, tenantsCluster, workspaceNamespace } from './tenant-kinds.ts';
import type { TenantObject } from './tenant-objects.ts';

interface WorkspacePageProps {
  readonly project: string;
  readonly name: string;
}

/** A workspace: its members, its control planes, and what it may order. */
export function WorkspacePage({ project, name }: WorkspacePageProps) {
  const { cluster } = useCluster();
  const [isOpen, setOpen] = useState(false);
  const ref = { namespace: projectNamespace(project), name };
  const { object, isDeleted = false, error } = useLiveObject(tenantsCluster, tenantKinds.workspaces, ref);
  const namespace = workspaceNamespace(project, name);
  // The rights come with the namespace.
  const at = object === undefined ? '' : situationOf(object).state;
  const denial = useDenial({ cluster: tenantsCluster, verb: 'create', ...tenantKinds.controlPlanes, namespace, at });
  usePageTitle(`Workspace ${name}`);
  if (object === undefined && error !== undefined)
    return <FailurePage title={name} goal={`read the workspace "${name}"`} error={error} />;
  if (object === undefined) return <Loading what={`workspace "${name}"`} />;
  const workspace = object as TenantObject;
  const isReady = workspace.status?.namespace !== undefined;
  return (
    <>
      <TenantHead
        tenant={workspace}
        crumbs={
          <>
            <Link href={pageHref(cluster, 'tenants')}>Tenants</Link> ·{' '}
            <Link href={viewHref([cluster, 'tenants', project])}>{plainText(project)}</Link> · workspace{' '}
            {plainText(name)} ·{' '}
            <Link href={objectHref(tenantsCluster, tenantKinds.workspaces, ref)}>Object details</Link>
          </>
        }
      >
        <Link className="button" href={pageHref(tenantsCluster, 'catalogue', { ns: namespace })}>
          Order…
        </Link>
        <Button
          kind="primary"
          disabledReason={isDeleted ? 'It was deleted' : isReady ? denial : 'Its namespace is being made'}
          onClick={() => setOpen(true)}
        >
          Create a control plane…
        </Button>
      </TenantHead>
      {isDeleted && <Notice kind="warning">This workspace was deleted. What you see is its last state.</Notice>}
      <MembersCard kind={tenantKinds.workspaces} tenant={workspace} isDeleted={isDeleted} />
      {isReady && (
        <>
          <QuotaCard key={at} namespace={namespace} />
          <section className="part" aria-label="Control planes">
            <h2>Control planes</h2>
            <ChildList
              key={at}
              kind={tenantKinds.controlPlanes}
              namespace={namespace}
              hrefOf={each => objectHref(tenantsCluster, tenantKinds.controlPlanes, { namespace, name: each })}
              advice="Create a control plane: a Kubernetes API of your own."
            />
          </section>
          <Commands
            commands={[
              [
                'A kubeconfig of a control plane',
                commandText(
                  ...['chandlery', 'controlplane', 'kubeconfig', 'NAME', '--project', project, '--workspace', name],
                ),
              ],
            ]}
          />
        </>
      )}
      {isOpen && (
        <CreateTenantDialog type="control plane" project={project} workspace={name} onClose={() => setOpen(false)} />
      )}
    </>
  );
}
