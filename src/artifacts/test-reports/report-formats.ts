/** Names of the formats of test reports. */
export const REPORT_FORMATS = ['junit', 'tap', 'vitest'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]
