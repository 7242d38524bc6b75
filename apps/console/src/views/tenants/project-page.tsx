import { situationOf } from '@chandlery/api';
import { useState } from 'react';
import { useDenial } from '../../api/access.ts';
import { Link } from '../../routing/link.tsx';
import { viewHref } from '../../routing/location.ts';
import { objectHref, pageHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { Button } from '../../ui/button.tsx';
import { FailurePage, Loading, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { useLiveObject } from '../object/live-object.ts';
import { ChildList } from './child-list.tsx';
import { CreateTenantDialog } from './create-tenant-dialog.tsx';
import { MembersCard } from './members-card.tsx';
import { TenantHead } from './tenant-head.tsx';
import { projectNamespace, tenantKinds, tenantsCluster } from './tenant-kinds.ts';
import type { TenantObject } from './tenant-objects.ts';

/** A project: its members and workspaces, and the way to its own API. */
export function ProjectPage({ name }: { readonly name: string }) {
  const { cluster } = useCluster();
  const { object, isDeleted = false, error } = useLiveObject(tenantsCluster, tenantKinds.projects, { name });
  const [isOpen, setOpen] = useState(false);
  const namespace = projectNamespace(name);
  // The rights come with the namespace.
  const at = object === undefined ? '' : situationOf(object).state;
  const denial = useDenial({ cluster: tenantsCluster, verb: 'create', ...tenantKinds.workspaces, namespace, at });
  usePageTitle(`Project ${name}`);
  if (object === undefined && error !== undefined)
    return <FailurePage title={name} goal={`read the project "${name}"`} error={error} />;
  if (object === undefined) return <Loading what={`project "${name}"`} />;
  const project = object as TenantObject;
  const own = project.status?.cluster?.name;
  return (
    <>
      <TenantHead
        tenant={project}
        crumbs={
          <>
            <Link href={pageHref(cluster, 'tenants')}>Tenants</Link> · project {plainText(name)} ·{' '}
            <Link href={objectHref(tenantsCluster, tenantKinds.projects, { name })}>Object details</Link>
          </>
        }
      >
        {own !== undefined && (
          <Link className="button" href={pageHref(own, 'home')}>
            Open its API
          </Link>
        )}
        <Button kind="primary" disabledReason={isDeleted ? 'It was deleted' : denial} onClick={() => setOpen(true)}>
          Create a workspace…
        </Button>
      </TenantHead>
      {isDeleted && <Notice kind="warning">This project was deleted. What you see is its last state.</Notice>}
      <MembersCard kind={tenantKinds.projects} tenant={project} isDeleted={isDeleted} />
      <section className="part" aria-label="Workspaces">
        <h2>Workspaces</h2>
        {project.status?.namespace === undefined ? (
          <Loading what="its namespace" />
        ) : (
          <ChildList
            key={at}
            kind={tenantKinds.workspaces}
            namespace={namespace}
            hrefOf={workspace => viewHref([cluster, 'tenants', name, workspace])}
            advice="Create a workspace: services, orders and control planes live in one."
          />
        )}
      </section>
      {isOpen && <CreateTenantDialog type="workspace" project={name} onClose={() => setOpen(false)} />}
    </>
  );
}
