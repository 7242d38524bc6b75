import type { KubeObject } from '@chandlery/api';
import type { ObjectRef } from '@chandlery/client';
import { hostImages } from '@chandlery/clusters/kinds';
import { type Provider, serviceProviders } from '@chandlery/providers/kinds';
import { findCondition, isConditionTrue } from '@chandlery/runtime';
import { drop, find, hold, resourceOf, until, type ValidationContext } from '../validation-context.ts';

export const providerRef = ({ file }: Pick<ValidationContext, 'file'>): ObjectRef => ({
  ...serviceProviders.ref,
  name: file.provider,
});

/** The field manager of what a validation installs. */
const fieldManager = 'provider-validate';

/** 1: the provider is requested, and its API and run parts come up. */
export async function installProvider(context: ValidationContext): Promise<void> {
  const { platform, file } = context;
  for (const object of file.install) await applyPlatform(context, object);
  await until(context, 'the provider to be initialized', async () =>
    isInitialized(await platform.get(providerRef(context))),
  );
  await until(context, `the kind ${file.config.kind} on the platform cluster`, () => resourceOf(platform, file.config));
  await until(context, `the kind ${file.service.kind} on the onboarding cluster`, () =>
    resourceOf(context.onboarding, file.service),
  );
  await applyPlatform(context, file.config);
  await until(context, 'the provider to be ready', async () => isReady(await platform.get(providerRef(context))));
  const { status } = await platform.get<Provider>(providerRef(context));
  const kinds = (status?.resources ?? []).map(({ kind }) => kind);
  hold(
    kinds.includes(file.service.kind),
    `status.resources does not list ${file.service.kind}, only: ${kinds.join(', ')}`,
  );
}

function isInitialized(provider: Provider): boolean {
  const initialized = findCondition(provider, 'Initialized');
  hold(initialized?.status === 'True', `${initialized?.reason ?? 'nothing yet'} ${initialized?.message ?? ''}`);
  return true;
}

function isReady(provider: Provider): boolean {
  const ready = findCondition(provider, 'Ready');
  hold(ready?.status === 'True', `${ready?.reason ?? 'nothing yet'} ${ready?.message ?? ''}`);
  return true;
}

const known: Readonly<Record<string, { readonly plural: string }>> = {
  HostImage: hostImages,
  ServiceProvider: serviceProviders,
};

/** Applies an object of the installation. */
export async function applyPlatform({ platform }: ValidationContext, body: KubeObject): Promise<void> {
  const [group = '', version = ''] = body.apiVersion.split('/');
  const plural = known[body.kind]?.plural ?? (await resourceOf(platform, body)).plural;
  const ref = { group, version, plural, name: body.metadata.name ?? '' };
  await platform.patch(ref, { type: 'apply', body, force: true }, { fieldManager });
}

/** Whether only validations have written an image. */
export const isOwnImage = ({ metadata: { managedFields = [] } }: KubeObject): boolean =>
  managedFields.length > 0 && managedFields.every(({ manager }) => manager === fieldManager);

/** 1: an init that fails is shown as failed, and never becomes ready. */
export async function checkFailedInit(context: ValidationContext): Promise<void> {
  const { platform, id } = context;
  const { spec } = await platform.get<Provider>(providerRef(context));
  const ref = { ...serviceProviders.ref, name: `${id}-broken` };
  const broken = serviceProviders.object(
    { name: ref.name },
    { ...spec, initCommand: ['no-such-command-of-this-provider'], runReplicas: 1 },
  );
  await platform.create(serviceProviders.ref, broken);
  try {
    const shown = await until(
      context,
      `the failed init of "${ref.name}" to be shown`,
      async () => {
        const provider = await platform.get<Provider>(ref);
        const initialized = findCondition(provider, 'Initialized');
        const isFailed = initialized?.status === 'False' && /fail/i.test(initialized.reason ?? '');
        return isFailed && { provider, message: initialized.message ?? '' };
      },
      { timeoutMs: 120_000 },
    );
    hold(!isConditionTrue(shown.provider, 'Ready'), `"${ref.name}" is Ready although its init failed`);
    hold(shown.message !== '', `the failed init of "${ref.name}" is shown without a reason`);
  } finally {
    await drop(platform, ref);
  }
  await until(context, `"${ref.name}" to be deleted`, async () => (await find(platform, ref)) === undefined);
}

/** Whether the provider existed before the validation. */
export const isInstalled = async (context: Pick<ValidationContext, 'platform' | 'file'>): Promise<boolean> =>
  (await find(context.platform, providerRef(context))) !== undefined;
