import { formatElapsed } from '@chandlery/api';
import type { NodeStatus } from '@chandlery/workflow';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { EmptyState, FailureNotice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { Time } from '../../ui/time.tsx';
import { Fact } from '../fact.tsx';
import { LogViewer } from '../log-viewer.tsx';
import { attemptOf, isSuspended } from './workflow.ts';
import { stateOfNode } from './workflow-graph.ts';

/** What can be done with a single node. */
export interface NodeControl {
  /** Why the user may not control the run; undefined when they may. */
  readonly denial: string | undefined;
  /** Whether the run has ended: then nodes can be executed again. */
  readonly isEnded: boolean;
  readonly onResume: (node: NodeStatus) => Promise<void>;
  readonly onRunAgain: (node: NodeStatus) => Promise<void>;
}

interface NodePanelProps {
  readonly node: NodeStatus;
  readonly nodes: readonly NodeStatus[];
  readonly control: NodeControl;
  readonly openLog: (node: NodeStatus, signal: AbortSignal) => Promise<Response>;
}

/** Everything about a node: what it got, what it did, what it gave, and what it printed. */
export function NodePanel({ node, nodes, control, openLog }: NodePanelProps) {
  const [failure, setFailure] = useState<unknown>();
  const attempt = (work: Promise<void>): void => {
    setFailure(undefined);
    work.catch(setFailure);
  };
  const hasLog = node.type === 'Pod' && node.phase !== 'Skipped' && node.phase !== 'Omitted';
  return (
    <section className="card node-panel" aria-label={`Node ${plainText(node.displayName)}`}>
      <header className="page-head">
        <div>
          <h2>{plainText(node.displayName)}</h2>
          <p>
            <StateMark {...stateOfNode(node)} />
            {(node.message ?? '') !== '' && <span className="situation"> {plainText(node.message ?? '')}</span>}
          </p>
        </div>
        <div className="actions">
          <NodeButtons node={node} control={control} attempt={attempt} />
        </div>
      </header>
      {failure !== undefined && <FailureNotice goal="control this node" error={failure} />}
      <div className="node-parts">
        <Facts node={node} nodes={nodes} />
        <div className="node-log">
          {hasLog ? (
            <LogViewer
              source={`${node.id} ${node.startedAt} ${node.phase === 'Pending'}`}
              isRunning={node.phase === 'Running'}
              open={signal => openLog(node, signal)}
              fileName={`${node.displayName.replaceAll(/[^\w.-]+/g, '_')}.log`}
            />
          ) : (
            <EmptyState title={noLog[node.type] ?? 'This node executes nothing, so that it has no log'} />
          )}
        </div>
      </div>
    </section>
  );
}

const noLog: Readonly<Record<string, string>> = {
  DAG: 'This node holds others: their logs are with them',
  Steps: 'This node holds others: their logs are with them',
  Retry: 'Each attempt has a log of its own',
  Suspend: 'This node waits, and prints nothing',
};

interface NodeButtonsProps extends Pick<NodePanelProps, 'node' | 'control'> {
  readonly attempt: (work: Promise<void>) => void;
}

function NodeButtons({ node, control, attempt }: NodeButtonsProps) {
  const { denial, isEnded, onResume, onRunAgain } = control;
  if (isSuspended(node) && !isEnded)
    return (
      <Button kind="primary" disabledReason={denial} onClick={() => attempt(onResume(node))}>
        Resume this node
      </Button>
    );
  if (node.type !== 'Pod') return null;
  return (
    <Button
      title="Executes this node and what follows it once more; what came before is kept"
      disabledReason={isEnded ? denial : 'The run has not ended yet'}
      onClick={() => attempt(onRunAgain(node))}
    >
      Run again from here
    </Button>
  );
}

function Facts({ node, nodes }: Pick<NodePanelProps, 'node' | 'nodes'>) {
  const { type, templateName, templateRef, startedAt, finishedAt, inputs, outputs } = node;
  const attempt = attemptOf(nodes, node);
  return (
    <div>
      <dl className="facts">
        <Fact name="Type">{type}</Fact>
        {(templateName ?? templateRef) !== undefined && (
          <Fact name="Template">
            {plainText(
              templateRef === undefined ? (templateName ?? '') : `${templateRef.name}/${templateRef.template}`,
            )}
          </Fact>
        )}
        <Fact name="Started">
          <Time at={startedAt} />
        </Fact>
        <Fact name="Finished">
          <Time at={finishedAt} />
        </Fact>
        <Fact name="Duration">{formatElapsed(node, new Date()) || '–'}</Fact>
        {attempt !== undefined && (
          <Fact name="Attempt">
            {attempt.number} of {attempt.count}
          </Fact>
        )}
        {outputs?.exitCode !== undefined && <Fact name="Exit code">{plainText(String(outputs.exitCode))}</Fact>}
      </dl>
      <Values title="Inputs" values={inputs} />
      <Values title="Outputs" values={outputs} />
    </div>
  );
}

interface ValuesProps {
  readonly title: string;
  readonly values: NodeStatus['inputs'] | NodeStatus['outputs'];
}

function Values({ title, values }: ValuesProps) {
  const { parameters = [], artifacts = [] } = values ?? {};
  if (parameters.length === 0 && artifacts.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <dl className="facts">
        {parameters.map(({ name, value }) => (
          <Fact key={`parameter ${name}`} name={plainText(name)}>
            <span className="value">{value === undefined || value === '' ? '–' : plainText(String(value))}</span>
          </Fact>
        ))}
        {artifacts.map(({ name }) => (
          <Fact key={`artifact ${name}`} name={plainText(name)}>
            <span className="quiet">artifact</span>
          </Fact>
        ))}
      </dl>
    </>
  );
}
