import { useState } from 'react';
import { useDenial } from '../../api/access.ts';
import { useViewLocation, viewHref } from '../../routing/location.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { Button } from '../../ui/button.tsx';
import { KindList } from '../kind-list/kind-list-page.tsx';
import { CreateTenantDialog } from './create-tenant-dialog.tsx';
import { ProjectPage } from './project-page.tsx';
import { tenantKinds, tenantsCluster } from './tenant-kinds.ts';
import { WorkspacePage } from './workspace-page.tsx';

interface TenantsPageProps {
  readonly project: string;
  /** Empty: the project. */
  readonly workspace: string;
}

/** Projects with their workspaces and control planes; each user sees those that they are a member of. */
export default function TenantsPage({ project, workspace }: TenantsPageProps) {
  if (project === '') return <Projects />;
  if (workspace === '') return <ProjectPage key={project} name={project} />;
  return <WorkspacePage key={`${project}/${workspace}`} project={project} name={workspace} />;
}

function Projects() {
  const { cluster } = useCluster();
  const ns = useViewLocation().query.get('ns') ?? undefined;
  const [isOpen, setOpen] = useState(false);
  const denial = useDenial({ cluster: tenantsCluster, verb: 'create', ...tenantKinds.projects });
  return (
    <>
      <KindList
        kind={tenantKinds.projects}
        cluster={tenantsCluster}
        title="Tenants"
        about="Projects with their workspaces and control planes: those that you are a member of"
        hrefOf={({ name }) => viewHref([cluster, 'tenants', name], { ns })}
        actions={
          <Button kind="primary" disabledReason={denial} onClick={() => setOpen(true)}>
            Create a project…
          </Button>
        }
        advice={<p className="quiet">Create a project: it gets an API of its own, and you administer it.</p>}
      />
      {isOpen && <CreateTenantDialog type="project" onClose={() => setOpen(false)} />}
    </>
  );
}
