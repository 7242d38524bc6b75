import { useState } from 'react';
import { useDenial } from '../../api/access.ts';
import type { SmItem } from '../../api/offerings.ts';
import {
  closePlan,
  everyPlatform,
  openPlan,
  readNames,
  readPlatforms,
  readVisibilities,
  type SmVisibility,
} from '../../api/service-manager.ts';
import { Button } from '../../ui/button.tsx';
import { commandText } from '../../ui/command-text.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FailureNotice, Loading } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { TextField } from '../../ui/text-field.tsx';
import { useLoaded } from '../../ui/use-request.ts';
import { brokersCluster, operatorKinds } from './operator-kinds.ts';

interface PlanVisibilitiesProps {
  readonly plan: SmItem;
  /** `offering/plan`, as commands have it. */
  readonly planName: string;
  /** The tenant of the broker: it opens its plans. */
  readonly tenant: string;
}

interface NamedVisibility extends SmVisibility {
  /** `*`: every platform. */
  readonly platform: string;
}

/** Reads to whom a plan is open, with names. */
async function readNamed(planId: string, signal: AbortSignal) {
  const { items, total } = await readVisibilities(planId, signal);
  const platformIds = items.flatMap(({ platform_id: id }) => id || []);
  const names = await readNames({ planIds: [], platformIds }, signal);
  const named = items.map((item): NamedVisibility => {
    const { platform_id: id = '' } = item;
    return { ...item, platform: id === '' ? everyPlatform : (names.get(id) ?? id) };
  });
  return { items: named.toSorted((one, other) => one.platform.localeCompare(other.platform)), total };
}

/** To which platforms a plan is open; it can be opened to others and closed. */
export function PlanVisibilities({ plan, planName, tenant }: PlanVisibilitiesProps) {
  const { value, error, reload } = useLoaded(signal => readNamed(plan.id, signal), [plan.id]);
  const [asked, setAsked] = useState<'open' | NamedVisibility>();
  const place = { cluster: brokersCluster, ...operatorKinds.visibilities, namespace: tenant };
  const createDenial = useDenial({ ...place, verb: 'create' });
  const deleteDenial = useDenial({ ...place, verb: 'delete' });
  const done = (): void => {
    setAsked(undefined);
    reload();
  };
  if (error !== undefined) return <FailureNotice goal="read who may order this plan" error={error} />;
  if (value === undefined) return <Loading what="who may order it" />;
  return (
    <div className="visibilities">
      {value.items.length === 0 && <p className="quiet">No platform may order it yet: open it to one</p>}
      <ul>
        {value.items.map(visibility => (
          <li key={visibility.id}>
            <span>✓ {platformText(visibility.platform)}</span>
            <Button kind="danger" disabledReason={deleteDenial} onClick={() => setAsked(visibility)}>
              Withdraw…<span className="spoken"> from {platformText(visibility.platform)}</span>
            </Button>
          </li>
        ))}
      </ul>
      {value.total > value.items.length && (
        <p className="quiet">{value.total - value.items.length} more are under "Visibilities"</p>
      )}
      <div className="actions">
        <Button kind="primary" disabledReason={createDenial} onClick={() => setAsked('open')}>
          Open to a platform…
        </Button>
      </div>
      {asked === 'open' && <OpenDialog plan={plan} planName={planName} tenant={tenant} onClose={done} />}
      {typeof asked === 'object' && (
        <WithdrawDialog visibilityId={asked.id} planName={planName} platform={asked.platform} onClose={done} />
      )}
    </div>
  );
}

/** The service manager's own platform stands for the tenants of the landscape. */
const ownPlatform = 'service-manager';

/** What people call a platform. */
export const platformText = (platform: string): string =>
  platform === everyPlatform
    ? 'every platform'
    : platform === ownPlatform
      ? 'tenants of this landscape'
      : plainText(platform);

interface OpenDialogProps extends PlanVisibilitiesProps {
  readonly onClose: () => void;
}

function OpenDialog({ plan, planName, tenant, onClose }: OpenDialogProps) {
  const [platform, setPlatform] = useState('');
  const { value: platforms = [] } = useLoaded(readPlatforms, []);
  const wanted = platform.trim();
  return (
    <FormDialog
      title={`Open ${plainText(planName)}`}
      goal="open the plan"
      submit="Open"
      problem={wanted === '' ? 'Name a platform' : undefined}
      command={wanted === '' ? undefined : commandText('chandlery', 'visibility', 'create', wanted, planName)}
      onSubmit={() => openPlan({ planId: plan.id, platform: wanted, tenant })}
      onClose={onClose}
    >
      <TextField
        label="Platform"
        value={platform}
        onChange={setPlatform}
        list="platforms-to-open"
        about='Name or id; "*" is every platform'
      />
      <datalist id="platforms-to-open">
        {platforms.map(({ id, name = id, type = '' }) => (
          <option key={id} value={name}>
            {type}
          </option>
        ))}
      </datalist>
    </FormDialog>
  );
}

interface WithdrawDialogProps {
  readonly visibilityId: string;
  readonly planName: string;
  /** As commands name it. */
  readonly platform: string;
  readonly onClose: () => void;
}

/** Withdraws a plan from a platform after it was confirmed. */
export const WithdrawDialog = ({ visibilityId, planName, platform, onClose }: WithdrawDialogProps) => (
  <FormDialog
    title={`Withdraw ${plainText(planName)}?`}
    goal="withdraw the plan"
    submit="Withdraw it"
    kind="danger"
    command={commandText('chandlery', 'visibility', 'delete', platform, planName, '--yes')}
    onSubmit={async () => void (await closePlan(visibilityId))}
    onClose={onClose}
  >
    <p>
      <strong>{platformText(platform)}</strong> can order no more instances of it. Those that there are stay.
    </p>
  </FormDialog>
);
