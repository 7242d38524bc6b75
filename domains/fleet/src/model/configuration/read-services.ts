import type { CertificateSettings, MetricsSettings, SsoSettings, TermsSettings } from './configuration.ts';
import type { DocumentValue } from './document-value.ts';
import { readUrl } from './read-url.ts';

/** Reads `sso`. Default: the landscape itself. */
export function readSso(value: DocumentValue): SsoSettings {
  const type = value.child('type').choice(['embedded', 'keycloak', 'none'], 'embedded');
  if (type !== 'keycloak') {
    value.fields(['type']);
    return { type };
  }
  const field = value.fields(['type', 'base_url', 'realm', 'client_id', 'client_secret']);
  return {
    type,
    baseUrl: readUrl(field('base_url')),
    realm: field('realm').text(),
    clientId: field('client_id').text(),
    clientSecret: field('client_secret').text(),
  };
}

/** Reads `certificates`. Default: the landscape's certificate authority. */
export function readCertificates(value: DocumentValue): CertificateSettings {
  const type = value.child('type').choice(['embedded', 'acme', 'none'], 'embedded');
  if (type !== 'acme') {
    value.fields(['type']);
    return { type };
  }
  const field = value.fields(['type', 'directory_url', 'email']);
  return { type, directoryUrl: readUrl(field('directory_url')), email: field('email').optionalText() };
}

/** Reads `terms`. Default: there are none. */
export function readTerms(value: DocumentValue): TermsSettings | undefined {
  if (value.isAbsent) return undefined;
  const field = value.fields(['url', 'site_code', 'event_code']);
  return { url: readUrl(field('url')), siteCode: field('site_code').text(), eventCode: field('event_code').text() };
}

/** Reads `metrics`. Default: what agents report. */
export function readMetrics(value: DocumentValue): MetricsSettings {
  const type = value.child('type').choice(['embedded', 'prometheus'], 'embedded');
  if (type === 'embedded') {
    value.fields(['type']);
    return { type };
  }
  return { type, url: readUrl(value.fields(['type', 'url'])('url')) };
}
