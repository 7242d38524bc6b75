import { formatElapsed } from '@chandlery/api';
import { type NodeStatus, podNameOf } from '@chandlery/workflow';
import { useDenial } from '../../api/access.ts';
import { type ObjectName, objectPath, type ServedKind } from '../../api/kinds.ts';
import { request } from '../../api/request.ts';
import { Link } from '../../routing/link.tsx';
import { navigate, useViewLocation, viewHref } from '../../routing/location.ts';
import { objectHref, pageHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { FailurePage, Loading, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { useLiveObject } from '../object/live-object.ts';
import { controlWorkflow, stateOfWorkflow, verbOf } from './control-workflow.ts';
import type { RunAction } from './run-actions.ts';
import { RunHead } from './run-head.tsx';
import { RunProgress } from './run-progress.tsx';
import { hasEnded, orderLabel, phaseOf, type WorkflowObject } from './workflow.ts';
import { stateOfNode } from './workflow-graph.ts';

interface WorkflowRunProps extends ObjectName {
  readonly kind: ServedKind;
}

/** A Workflow that was handed in as an object of the cluster. */
export function WorkflowRun({ kind, namespace = '', name }: WorkflowRunProps) {
  const { cluster } = useCluster();
  const { object, isDeleted = false, error } = useLiveObject(cluster, kind, { namespace, name });
  usePageTitle(`Workflow ${name}`);
  if (object === undefined && error !== undefined)
    return <FailurePage title={name} goal={`read workflow "${name}"`} error={error} />;
  if (object === undefined) return <Loading what={`workflow "${name}"`} />;
  return <OpenWorkflow kind={kind} workflow={object as WorkflowObject} isDeleted={isDeleted} />;
}

interface OpenWorkflowProps {
  readonly kind: ServedKind;
  readonly workflow: WorkflowObject;
  readonly isDeleted: boolean;
}

const pods = { group: '', version: 'v1', plural: 'pods' };

function OpenWorkflow({ kind, workflow, isDeleted }: OpenWorkflowProps) {
  const { cluster } = useCluster();
  const { query } = useViewLocation();
  const ns = query.get('ns') ?? undefined;
  const { namespace = '', name = '', labels = {} } = workflow.metadata;
  const denials = useDenials(kind, { namespace, name });
  const phase = phaseOf(workflow);
  const placed = { cluster, kind, workflow };
  const control = async (action: RunAction, node?: string): Promise<void> => {
    const concerned = await controlWorkflow(placed, action, node);
    if (concerned !== name) navigate(viewHref([cluster, 'orders', namespace, concerned], { ns }));
  };
  const openLog = ({ name: node, templateName, templateRef }: NodeStatus, signal: AbortSignal): Promise<Response> => {
    const pod = podNameOf(name, node, templateName ?? templateRef?.template);
    return request(`${objectPath(cluster, pods, { namespace, name: pod })}/log`, {
      query: { container: 'main', follow: true },
      signal,
    });
  };
  const whole = { type: 'Steps', phase } as NodeStatus;
  return (
    <>
      <RunHead
        crumbs={
          <>
            <Link href={pageHref(cluster, 'orders', { ns })}>Workflow runs</Link> · {namespace} ·{' '}
            <Link href={objectHref(cluster, kind, { namespace, name })}>Object details</Link>
          </>
        }
        title={name}
        mark={
          <>
            <StateMark {...stateOfNode(whole)} />{' '}
            <span className="quiet">{formatElapsed(workflow.status ?? {}, new Date())}</span>
          </>
        }
        message={workflow.status?.message}
        state={stateOfWorkflow(workflow)}
        denialOf={action => denials[verbOf(action)]}
        onAction={action => control(action)}
      />
      {isDeleted && <Notice kind="warning">This workflow was deleted. What you see is its last state.</Notice>}
      {labels[orderLabel] !== undefined && (
        <Notice kind="info">
          This workflow executes the order {plainText(labels[orderLabel])}. Control it at the order, which would not
          know of changes that are made here.
        </Notice>
      )}
      <RunProgress
        title={name}
        workflow={workflow}
        none={hasEnded(workflow) ? 'Nothing was executed' : 'No node has been started yet'}
        control={{
          denial: denials['update'],
          isEnded: hasEnded(workflow),
          onResume: node => control('resume', node.id),
          onRunAgain: node => control('retry', node.id),
        }}
        openLog={openLog}
      />
    </>
  );
}

/** Why the user may not do something, by verb. */
function useDenials(kind: ServedKind, { namespace, name }: ObjectName): Readonly<Record<string, string | undefined>> {
  const { cluster } = useCluster();
  const place = { cluster, ...kind, ...(namespace !== undefined && { namespace }), name };
  return {
    update: useDenial({ ...place, verb: 'update' }),
    patch: useDenial({ ...place, verb: 'patch' }),
    create: useDenial({ ...place, name: '', verb: 'create' }),
  };
}
