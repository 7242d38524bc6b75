import type { Deadlines, FleetSettings } from './configuration.ts';
import type { DocumentValue } from './document-value.ts';

const day = 24 * 3600;
/** Ten years: longer times are mistakes. */
const maxSeconds = 3650 * day;

/** Settings of a document that has none; those of the reference where it has them. */
export const defaultSettings: FleetSettings = {
  quotaType: 'quota-management-list',
  enableInstanceLimitControl: false,
  maxAllowedInstances: 1,
  allowTrialInstances: true,
  maxAllowedTrialInstances: 1,
  enableDenyList: false,
  enableAccessList: false,
  enableTermsAcceptance: false,
  scalingType: 'manual',
  enableDynamicScaleUp: false,
  enableDynamicScaleDown: false,
  deadlines: { accepted: 3600, noVersion: 300, preparing: 300, provisioning: 3600 },
  quotaGraceSeconds: 14 * day,
  maxDeletionsPerMinute: 60,
  deletedRetentionSeconds: 30 * day,
  agentSilenceSeconds: 90,
};

const settingKeys = [
  'quota_type',
  'enable_instance_limit_control',
  'max_allowed_instances',
  'allow_trial_instances',
  'max_allowed_trial_instances',
  'enable_deny_list',
  'enable_access_list',
  'enable_terms_acceptance',
  'dataplane_cluster_scaling_type',
  'enable_dynamic_scale_up',
  'enable_dynamic_scale_down',
  'deadlines',
  'quota_grace_seconds',
  'max_deletions_per_minute',
  'deleted_retention_seconds',
  'agent_silence_seconds',
] as const;

/** Reads `settings`. */
export function readSettings(value: DocumentValue): FleetSettings {
  const field = value.fields(settingKeys);
  const defaults = defaultSettings;
  const seconds = { max: maxSeconds };
  return {
    quotaType: field('quota_type').choice(['quota-management-list'], defaults.quotaType),
    enableInstanceLimitControl: field('enable_instance_limit_control').flag(defaults.enableInstanceLimitControl),
    maxAllowedInstances: field('max_allowed_instances').integer({}, defaults.maxAllowedInstances),
    allowTrialInstances: field('allow_trial_instances').flag(defaults.allowTrialInstances),
    maxAllowedTrialInstances: field('max_allowed_trial_instances').integer({}, defaults.maxAllowedTrialInstances),
    enableDenyList: field('enable_deny_list').flag(defaults.enableDenyList),
    enableAccessList: field('enable_access_list').flag(defaults.enableAccessList),
    enableTermsAcceptance: field('enable_terms_acceptance').flag(defaults.enableTermsAcceptance),
    scalingType: field('dataplane_cluster_scaling_type').choice(['manual', 'auto', 'none'], defaults.scalingType),
    enableDynamicScaleUp: field('enable_dynamic_scale_up').flag(defaults.enableDynamicScaleUp),
    enableDynamicScaleDown: field('enable_dynamic_scale_down').flag(defaults.enableDynamicScaleDown),
    deadlines: readDeadlines(field('deadlines')),
    quotaGraceSeconds: field('quota_grace_seconds').integer(seconds, defaults.quotaGraceSeconds),
    maxDeletionsPerMinute: field('max_deletions_per_minute').integer({ min: 1 }, defaults.maxDeletionsPerMinute),
    deletedRetentionSeconds: field('deleted_retention_seconds').integer(seconds, defaults.deletedRetentionSeconds),
    agentSilenceSeconds: field('agent_silence_seconds').integer(
      { min: 1, max: maxSeconds },
      defaults.agentSilenceSeconds,
    ),
  };
}

function readDeadlines(value: DocumentValue): Deadlines {
  const field = value.fields(['accepted', 'no_version', 'preparing', 'provisioning']);
  const { deadlines } = defaultSettings;
  const range = { min: 1, max: maxSeconds };
  return {
    accepted: field('accepted').integer(range, deadlines.accepted),
    noVersion: field('no_version').integer(range, deadlines.noVersion),
    preparing: field('preparing').integer(range, deadlines.preparing),
    provisioning: field('provisioning').integer(range, deadlines.provisioning),
  };
}
