import { describe, expect, it } from 'vitest'
import { chooseJdk, javaHomes, javaMajor } from './jdk.ts'

describe('the JDK for a release', () => {
  it.each([
    ['17.0.15', 17],
    ['25', 25],
    ['25-ea', 25],
    ['1.8.0_292', 8],
    ['unknown', undefined],
  ])('reads %s as Java %s', (version, major) => {
    expect(javaMajor(version)).toBe(major)
  })

  it('prefers numbered homes over JAVA_HOME, the highest first', () => {
    const env = {
      JAVA_HOME: '/default',
      JAVA_HOME_21_X64: '/21',
      JAVA_HOME_25: '/25',
      JAVA_HOME_17: '',
      JAVA_HOMES: '/no',
    }
    expect(javaHomes(env)).toEqual(['/25', '/21', '/default'])
  })

  it('takes the first fitting candidate and checks no others', () => {
    const asked: string[] = []
    const majors: Record<string, number> = { '/a': 25, '/c': 21, '/d': 17 }
    const majorOf = (home: string) => {
      asked.push(home)
      return majors[home]
    }
    expect(chooseJdk(['/a', '/b', '/c', '/d'], [17, 21], majorOf)).toBe('/c')
    expect(asked).toEqual(['/a', '/b', '/c'])
  })

  it('is undefined if there is only a newer Java', () => {
    expect(chooseJdk(['/a'], [17, 21], () => 25)).toBeUndefined()
  })
})
