import { conditionsOf } from '@chandlery/api';
import { useState } from 'react';
import { useDenial } from '../../api/access.ts';
import { objectPath } from '../../api/kinds.ts';
import { request } from '../../api/request.ts';
import { Link } from '../../routing/link.tsx';
import { viewHref } from '../../routing/location.ts';
import { objectHref, pageHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { ActionButton, OutcomeNotice, useActions } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Commands } from '../../ui/command-line.tsx';
import { commandText } from '../../ui/command-text.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FailurePage, Loading, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { Rows } from '../../ui/rows.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { Fact } from '../fact.tsx';
import { ConditionsTab } from '../object/conditions-tab.tsx';
import { useLiveObject } from '../object/live-object.ts';
import { fleetCluster, fleetKinds } from './fleet-kinds.ts';
import { endedPhases, markOfRollout, markOfUpgrade, type RolloutObject } from './fleet-objects.ts';

/** A rollout: how far it is, what has failed, and how it is controlled. */
export function RolloutPage({ name }: { readonly name: string }) {
  const { object, isDeleted = false, error } = useLiveObject(fleetCluster, fleetKinds.rollouts, { name });
  usePageTitle(`Rollout ${name}`);
  if (object === undefined && error !== undefined)
    return <FailurePage title={name} goal={`read the rollout "${name}"`} error={error} />;
  if (object === undefined) return <Loading what={`rollout "${name}"`} />;
  const rollout = object as RolloutObject;
  return (
    <>
      <RolloutHead rollout={rollout} isDeleted={isDeleted} />
      {isDeleted && <Notice kind="warning">This rollout was deleted. What you see is its last state.</Notice>}
      <ProgressCard rollout={rollout} />
      <WaveRows rollout={rollout} />
      {conditionsOf(rollout).length > 0 && (
        <>
          <h2>Conditions</h2>
          <ConditionsTab object={rollout} />
        </>
      )}
    </>
  );
}

interface RolloutHeadProps {
  readonly rollout: RolloutObject;
  readonly isDeleted: boolean;
}

function RolloutHead({ rollout, isDeleted }: RolloutHeadProps) {
  const { cluster } = useCluster();
  const [isAsked, setAsked] = useState(false);
  const { outcome, run } = useActions();
  const { metadata, spec, status = {} } = rollout;
  const { name = '' } = metadata;
  const { rolloutPhase = 'Pending', message = '' } = status;
  const denial = useDenial({ cluster: fleetCluster, verb: 'patch', ...fleetKinds.rollouts, name });
  const hasEnded = endedPhases.includes(rolloutPhase) || spec.aborted === true;
  const reason = isDeleted ? 'It was deleted' : hasEnded ? `It has ended, or is ending: ${rolloutPhase}` : denial;
  const isPaused = spec.paused === true || rolloutPhase === 'Paused';
  const change = async (wanted: object): Promise<void> => {
    await request(objectPath(fleetCluster, fleetKinds.rollouts, { name }), {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec: wanted },
    });
  };
  const command = (verb: string): string => commandText('chandlery', 'fleet', 'rollout', verb, name);
  return (
    <>
      <header className="page-head">
        <div>
          <p className="crumbs">
            <Link href={pageHref(cluster, 'fleet', { tab: 'rollouts', product: spec.product })}>Rollouts</Link> ·{' '}
            {plainText(spec.product)} ·{' '}
            <Link href={objectHref(fleetCluster, fleetKinds.rollouts, { name })}>Object details</Link>
          </p>
          <h1>{plainText(name)}</h1>
          <p>
            <StateMark {...markOfRollout(rolloutPhase)} />
            <span className="situation"> {plainText(message)}</span>
          </p>
        </div>
        <div className="actions" role="group" aria-label="Actions">
          {isPaused ? (
            <ActionButton
              kind="primary"
              disabledReason={reason}
              title="Lets it continue; it tolerates the failures that there were"
              onAction={() => run('resume the rollout', () => change({ paused: false }), 'The rollout was resumed')}
            >
              Resume
            </ActionButton>
          ) : (
            <ActionButton
              disabledReason={reason}
              title="Begins no further upgrades; those in progress continue"
              onAction={() => run('pause the rollout', () => change({ paused: true }), 'The rollout was paused')}
            >
              Pause
            </ActionButton>
          )}
          <Button kind="danger" disabledReason={reason} onClick={() => setAsked(true)}>
            Abort…
          </Button>
        </div>
      </header>
      <OutcomeNotice outcome={outcome} />
      <Commands
        commands={[
          ['Pause', command('pause')],
          ['Resume', command('resume')],
          ['Abort', command('abort')],
        ]}
      />
      {isAsked && (
        <FormDialog
          title="Abort the rollout?"
          goal="abort the rollout"
          submit="Abort it"
          kind="danger"
          command={command('abort')}
          onSubmit={() => change({ aborted: true })}
          onClose={() => setAsked(false)}
        >
          <p>
            Instances of the present wave go back to the versions that they had. Those of earlier waves keep the new
            one: roll out the old version to take them back.
          </p>
        </FormDialog>
      )}
    </>
  );
}

function ProgressCard({ rollout: { spec, status = {} } }: Pick<RolloutHeadProps, 'rollout'>) {
  const { total = 0, upgraded = 0, failed = 0, wave, rejected = [] } = status;
  const target = [spec.productVersion, spec.operatorVersion && `operator ${spec.operatorVersion}`].filter(Boolean);
  return (
    <section className="card" aria-label="Progress">
      <h2>
        {upgraded} of {total} instances run {plainText(target.join(', '))}
      </h2>
      <div
        role="progressbar"
        aria-label="Instances that run the new version"
        aria-valuemin={0}
        aria-valuemax={Math.max(total, 1)}
        aria-valuenow={upgraded}
        className="meter-bar state-ready"
      >
        <span className="meter-fill" style={{ width: `${total === 0 ? 0 : (100 * upgraded) / total}%` }} />
      </div>
      <dl className="facts facts-narrow">
        <Fact name="Failed">
          {failed === 0 ? 'None' : <StateMark state="failed" word={String(failed)} />}
          {rejected.length > 0 && ` · ${rejected.length} whose cluster does not offer the version`}
        </Fact>
        {wave !== undefined && <Fact name="Wave">{wave + 1}</Fact>}
        <Fact name="Clusters">{plainText(spec.clusters?.join(', ') ?? 'All')}</Fact>
        <Fact name="Organisations">{plainText(spec.organisations?.join(', ') ?? 'All')}</Fact>
      </dl>
    </section>
  );
}

/** What is shown of a wave; more are in the object. */
const maxRows = 100;

function WaveRows({ rollout: { spec, status = {} } }: Pick<RolloutHeadProps, 'rollout'>) {
  const { cluster } = useCluster();
  const entries = Object.entries(status.instances ?? {});
  if (entries.length === 0) return null;
  return (
    <>
      <h2>Instances of the wave</h2>
      <Rows label="Instances of the wave" headings={['Instance', 'State', 'Cluster', 'Why']}>
        {entries.slice(0, maxRows).map(([id, { state = '', clusterId = '', reason = '' }]) => (
          <tr key={id}>
            <td>
              <Link className="row-link" href={viewHref([cluster, 'fleet', 'instance', '-', id])}>
                {plainText(id)}
              </Link>
            </td>
            <td>
              <StateMark {...markOfUpgrade(state)} />
            </td>
            <td>
              <Link href={viewHref([cluster, 'fleet', 'cluster', `${spec.product}.${clusterId}`])}>
                {plainText(clusterId)}
              </Link>
            </td>
            <td className="wrap">{plainText(reason)}</td>
          </tr>
        ))}
      </Rows>
      {entries.length > maxRows && <p className="quiet">{entries.length - maxRows} more are in the object</p>}
    </>
  );
}
