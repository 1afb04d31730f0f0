Feature: Prices

  Scenario: A price is rounded
    Given a price of 9.999
    When it is shown
    Then it is 10.00

  Scenario Outline: A price in <currency>
    Then the sign is <sign>

    Examples:
      | currency | sign |
      | euros    | €    |
